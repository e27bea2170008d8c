"""Tables with the column names of public ones, written and tried before the rules were looked at again."""

REGISTERS = {
    "compas": """
        person_id: entity|identifier: several 5
        first: identifier: given en
        last: identifier: family en
        sex: quasi: pick Male/Female
        dob: quasi: date 1950 1996
        age_cat: quasi: pick 25 - 45/Less than 25/Greater than 45
        race: quasi: pick African-American/Caucasian/Hispanic/Other/Asian
        juv_fel_count: sensitive|quasi: number 0 4
        days_b_screening_arrest: sensitive|quasi|insensitive: number -30 30
        c_case_number: identifier: form ##0#####CF10A
        c_charge_desc: sensitive: pick Battery/Grand Theft in the 3rd Degree/arrest case no charge/Driving No License
        is_recid: sensitive: pick 0/1
        v_score_text: sensitive: pick Low/Medium/High
        AssessmentReason: insensitive|omitted: pick Intake
        MaritalStatus: quasi: pick Single/Married/Divorced/Widowed
    """,
    "nhanes demographics": """
        SEQN: identifier: rows 83732
        RIAGENDR: quasi: pick 1/2
        RIDAGEYR: quasi: number 0 80
        RIDRETH3: quasi: pick 1/2/3/4/6/7
        DMDMARTL: quasi: pick 1/2/3/4/5/6/77
        INDFMPIR: sensitive|quasi: number 0 5 2
        WTMEC2YR: omitted: wealth 26000 6
        SDMVPSU: omitted|insensitive|quasi: pick 1/2
        SDMVSTRA: omitted|insensitive|quasi: number 119 133
        BMXWT: sensitive|quasi: number 30 140 1
        LBXTC: sensitive: number 90 300
        DIQ010: sensitive: pick 2/1/3
        country_of_birth: quasi: pick 1/2
    """,
    "titanic": """
        PassengerId: identifier|omitted: rows 1
        Survived: sensitive: pick 0/1
        Pclass: quasi: pick 3/1/2
        Name: identifier: turned en
        Sex: quasi: pick male/female
        Age: quasi: number 1 78
        SibSp: quasi: pick 0/1/2/3
        Parch: quasi: pick 0/1/2
        Ticket: identifier: form ######
        Fare: sensitive|quasi|insensitive: number 7 200 4
        Cabin: identifier|quasi: form C###
        Embarked: quasi|insensitive: pick S/C/Q
        boat: sensitive|quasi|insensitive: pick 13/C/15/4
        home.dest: quasi: pick New York, NY/London/Montreal, PQ/Cornwall
    """,
    "german credit": """
        checking_status: sensitive: pick no checking/<0/0<=X<200/>=200
        duration: sensitive|quasi|insensitive: number 4 72
        credit_history: sensitive: pick existing paid/critical/delayed previously/all paid
        purpose: sensitive|quasi|insensitive: pick radio\\tv/new car/furniture/used car/business
        credit_amount: sensitive: number 250 18000
        personal_status: quasi: pick male single/female div\\dep\\mar/male div\\sep
        property_magnitude: sensitive|quasi: pick real estate/car/life insurance/no known property
        housing: quasi: pick own/rent/for free
        existing_credits: sensitive: pick 1/2/3
        job: quasi: pick skilled/unskilled resident/high qualif
        num_dependents: quasi: pick 1/2
        own_telephone: quasi|insensitive: pick none/yes
        foreign_worker: quasi|sensitive: pick yes/no
        class: sensitive: pick good/bad
    """,
    "synthea patients": """
        Id: identifier: form ########-????-4###-8###-############
        BIRTHDATE: quasi: date 1925 2019
        DEATHDATE: sensitive|quasi: pick  /2011-03-04/2017-08-09/1999-12-30
        SSN: identifier: form 999-##-####
        PASSPORT: identifier: form X########X
        FIRST: identifier: given en
        MAIDEN: identifier: family en
        MARITAL: quasi: pick M/S/
        ETHNICITY: quasi: pick nonhispanic/hispanic
        ADDRESS: identifier: form ### Hintz Lane Unit ##
        COUNTY: quasi: pick Norfolk County/Essex County/Suffolk County
        FIPS: quasi: pick 25021/25009/25025
        LAT: identifier|quasi: number 41 43 12
        LON: identifier|quasi: number -73 -70 12
        HEALTHCARE_EXPENSES: sensitive: wealth 200000 2
        INCOME: sensitive: wealth 70000
    """,
    "synthea encounters": """
        Id: identifier: form ########-????-4###-8###-############
        START: quasi: date 2010 2020 y-m-dT08:15:00Z
        PATIENT: entity: several a-
        ORGANIZATION: quasi|insensitive|omitted: pick ef58ea08/69176529/5103c940
        PAYER: quasi|sensitive: pick Medicare/Humana/NO_INSURANCE
        ENCOUNTERCLASS: quasi|sensitive: pick ambulatory/wellness/emergency/inpatient
        BASE_ENCOUNTER_COST: sensitive: number 77 150 2
        TOTAL_CLAIM_COST: sensitive: wealth 900 2
        REASONDESCRIPTION: sensitive: pick Normal pregnancy/Acute bronchitis (disorder)/Hyperlipidemia
    """,
    "sdcmicro testdata": """
        urbrur: quasi: pick 2/1
        roof: quasi|insensitive: pick 4/2/9
        walls: quasi|insensitive: pick 3/2
        water: quasi|insensitive: pick 3/2/1
        electcon: quasi|insensitive: pick 1/4
        relat: quasi: pick 1/2/3/8
        sex: quasi: pick 1/2
        age: quasi: number 0 90
        hhcivil: quasi: pick 1/2/3
        expend: sensitive: wealth 90000000
        income: sensitive: wealth 60000000
        savings: sensitive: wealth 5000000
        ori_hid: household|entity|identifier: several 1
        sampling_weight: omitted: number 99 101
        household_weights: omitted: number 20 30 4
    """,
    "free1": """
        REGION: quasi: pick 20/21/31/36
        SEX: quasi: pick 2/1
        AGE: quasi: number 15 74
        MARSTAT: quasi: pick 2/1/3/4
        KINDPERS: quasi: pick 1/2/3/5
        NUMYOUNG: quasi: pick 0/1/2
        EDUC1: quasi: pick 1/2/3/4
        ETNI: quasi: pick 0/1
        HOUSE: quasi: pick 1/2
        MONEY: sensitive: wealth 2500
        BELASTING: sensitive: wealth 900
        GEWICHT: omitted: number 45 600 2
    """,
    "hr attrition": """
        Age: quasi: number 18 60
        Attrition: sensitive: pick No/Yes
        BusinessTravel: quasi|insensitive: pick Travel_Rarely/Travel_Frequently/Non-Travel
        DailyRate: sensitive: number 100 1500
        DistanceFromHome: quasi: number 1 29
        EducationField: quasi: pick Life Sciences/Medical/Marketing/Other
        EmployeeCount: insensitive|omitted: pick 1
        EmployeeNumber: identifier: rows 1
        EnvironmentSatisfaction: sensitive|insensitive: pick 3/4/2/1
        JobRole: quasi: pick Sales Executive/Research Scientist/Manager
        MonthlyIncome: sensitive: wealth 5000
        NumCompaniesWorked: quasi|insensitive|sensitive: number 0 9
        Over18: insensitive|omitted: pick Y
        PerformanceRating: sensitive: pick 3/4
        StockOptionLevel: sensitive: pick 0/1/2/3
        YearsAtCompany: quasi: number 0 40
    """,
    "student performance": """
        school: quasi: pick GP/MS
        sex: quasi: pick F/M
        famsize: quasi: pick GT3/LE3
        Pstatus: quasi|sensitive: pick T/A
        Medu: quasi: pick 4/2/3/1/0
        Mjob: quasi: pick other/services/at_home/teacher/health
        guardian: quasi: pick mother/father/other
        failures: sensitive|quasi: pick 0/1/2/3
        schoolsup: sensitive|quasi|insensitive: pick no/yes
        romantic: sensitive: pick no/yes
        Walc: sensitive: pick 1/2/3/4/5
        health: sensitive: pick 5/3/4/1/2
        absences: sensitive|quasi|insensitive: number 0 30
        G3: sensitive: number 0 20
    """,
    "developer survey": """
        ResponseId: identifier|omitted: rows 1
        MainBranch: quasi|insensitive: pick I am a developer by profession/I am learning to code
        Employment: quasi: pick Employed, full-time/Student, part-time/Independent contractor
        Country: quasi: pick Germany/India/France/Canada/Brazil
        EdLevel: quasi: pick Bachelor's degree/Master's degree/Secondary school
        YearsCodePro: quasi: number 0 40
        OrgSize: quasi|insensitive: pick 2 to 9 employees/20 to 99 employees/10,000 or more employees
        CompTotal: sensitive: wealth 70000
        LanguageHaveWorkedWith: quasi|insensitive: pick C#;SQL/Python;R/JavaScript;HTML/Rust
        Gender: quasi: pick Man/Woman/Non-binary
        Sexuality: sensitive: pick Straight / Heterosexual/Bisexual/Gay or Lesbian
        MentalHealth: sensitive: pick None of the above/I have a concentration disorder/I have an anxiety disorder
        Accessibility: sensitive: pick None of the above/I am deaf/I am blind
    """,
    "florida voters": """
        county_code: quasi: pick DAD/BRO/PAL/ALA
        voter_id: identifier: form 1########
        name_last: identifier: family en
        name_suffix: quasi: pick  /JR/III
        residence_address_line_1: identifier: form ### NW ##nd St
        residence_zipcode: quasi: pick 33125/33012/33142/32601
        birth_date: quasi: date 1930 2002 m/d/y
        registration_date: quasi: date 1990 2020 m/d/y
        party_affiliation: sensitive: pick DEM/REP/NPA
        precinct: quasi: pick 101/224/318
        voter_status: quasi|sensitive|insensitive: pick ACT/INA
        daytime_phone_number: identifier: form 305#######
        email_address: identifier: mail en
    """,
    "padrón": """
        NIA: identifier: form 2####-###
        NOMBRE: identifier: given es
        APELLIDO1: identifier: family es
        DNI: identifier: form ########?
        FECHA_NACIMIENTO: quasi: date 1930 2018 dmy
        LUGAR_NACIMIENTO: quasi: pick Valencia/Madrid/Quito/Bucarest
        NACIONALIDAD: quasi: pick española/rumana/ecuatoriana
        NIVEL_ESTUDIOS: quasi: pick ESO/Bachillerato/Grado/Sin estudios
        COD_HOGAR: household|entity|identifier: several 46
        SECCION_CENSAL: quasi: pick 4625001/4625002/4625003
        RELACION: quasi: pick titular/cónyuge/hijo
        FECHA_ALTA: quasi: date 1996 2019 dmy
        RENTA: sensitive: number 7000 60000 2 ,
        DISCAPACIDAD: sensitive: pick no/sí
    """,
    "anagrafe": """
        codice_fiscale: identifier: form ??????##?##?###?
        cognome: identifier: family it
        nome: identifier: given it
        sesso: quasi: pick F/M
        data_nascita: quasi: date 1930 2018 d/m/y
        comune_residenza: quasi: pick Bari/Lecce/Taranto/Foggia
        stato_civile: quasi: pick celibe/nubile/coniugato/vedova
        titolo_studio: quasi: pick licenza media/diploma/laurea
        cittadinanza: quasi: pick italiana/albanese/rumena
        esenzione_ticket: sensitive|quasi: pick no/E01/C03
        reddito_lordo: sensitive: number 6000 70000 2 ,
        invalidita: sensitive: pick no/sì
        cod_famiglia: household|entity|identifier: several 72
    """,
    "kadra": """
        PESEL: identifier: form ###########
        nazwisko: identifier: family pl
        imie: identifier: given pl
        plec: quasi: pick K/M
        rok_urodzenia: quasi: number 1955 2001
        wojewodztwo: quasi: pick mazowieckie/śląskie/pomorskie
        wyksztalcenie: quasi: pick wyższe/średnie/zawodowe
        stanowisko: quasi: pick specjalista/kierownik/referent
        wymiar_etatu: quasi|insensitive: pick 1/0,5/0,75
        wynagrodzenie: sensitive: number 4300 15000 2 ,
        dni_chorobowe: sensitive: number 0 60
        niepelnosprawnosc: sensitive: pick nie/tak
        numer_konta: identifier: form PL##########################
    """,
    "utentes sns": """
        n_utente: identifier: form #########
        nome_completo: identifier: full pt
        data_nasc: quasi: date 1935 2015 d-m-y
        concelho: quasi: pick Braga/Guimarães/Barcelos/Fafe
        freguesia: quasi: pick São Victor/Gualtar/Azurém
        estado_civil: quasi: pick solteiro/casada/viúva
        profissao: quasi: pick costureira/operário/enfermeira
        taxa_moderadora: sensitive|insensitive|quasi: pick 0/4,5/7
        diagnostico: sensitive: pick diabetes/hipertensão/asma/depressão
        medicamento: sensitive: pick metformina/ramipril/sertralina
        imc: sensitive|quasi: number 17 41 1 ,
        fumador: sensitive: pick não/sim
        medico_familia: identifier: full pt
    """,
    "mimic": """
        subject_id: entity: several 10
        hadm_id: identifier: form 2#######
        admittime: quasi: date 2110 2200 y-m-d 11:07:00
        admission_type: quasi|sensitive: pick EW EMER./URGENT/ELECTIVE
        anchor_age: quasi: number 18 91
        insurance: quasi|sensitive: pick Medicare/Other/Medicaid
        language: quasi: pick ENGLISH/?
        icd_code: sensitive: pick I10/E785/4019/F329
        los: sensitive|quasi: number 0 20 6
        hospital_expire_flag: sensitive: pick 0/1
        drug: sensitive: pick Insulin/Heparin/Metoprolol
    """,
    "bank churn": """
        RowNumber: omitted|identifier: rows 1
        CustomerId: identifier: form 15######
        Surname: identifier: family en
        CreditScore: sensitive: number 350 850
        Geography: quasi: pick France/Spain/Germany
        Tenure: quasi|insensitive|sensitive: number 0 10
        Balance: sensitive: wealth 70000 2
        NumOfProducts: quasi|insensitive|sensitive: pick 1/2/3/4
        HasCrCard: quasi|insensitive|sensitive: pick 1/0
        EstimatedSalary: sensitive: wealth 80000 2
        Exited: sensitive: pick 0/1
    """,
}
