"""Tables that the rules were written beside."""

FIRST = {
    "court": """
        id: identifier: rows 1
        name: identifier: full en
        first: identifier: given en
        last: identifier: family en
        compas_screening_date: quasi: date 2013 2014
        sex: quasi: pick Male/Female
        dob: quasi: date 1940 1996
        age: quasi: number 18 75
        age_cat: quasi: pick 25 - 45/Less than 25/Greater than 45
        race: quasi: pick African-American/Caucasian/Hispanic/Other/Asian/Native American
        juv_fel_count: sensitive: number 0 3
        decile_score: sensitive: number 1 10
        priors_count: sensitive: number 0 20
        c_jail_in: quasi: date 2013 2014 y-m-d 06:03:42
        c_case_number: identifier: form 13######CF10A
        c_charge_degree: sensitive: pick F/M
        c_charge_desc: sensitive: pick Battery/Grand Theft/Burglary Dwelling/Possession of Cocaine/Aggravated Assault
        is_recid: sensitive: pick 0/1
        screening_date: omitted|quasi: copy compas_screening_date
        v_score_text: sensitive: pick Low/Medium/High
        two_year_recid: sensitive: pick 0/1
    """,
    "health survey": """
        SEQN: entity: several 5
        SurveyYr: quasi: pick 2009_10/2011_12
        Gender: quasi: pick female/male
        Age: quasi: number 0 80
        Race1: quasi: pick White/Black/Mexican/Hispanic/Other
        Education: quasi: pick College Grad/High School/8th Grade/Some College/9 - 11th Grade/
        MaritalStatus: quasi: pick Married/NeverMarried/Divorced/Widowed/LivePartner/Separated
        HHIncome: sensitive: pick more 99999/25000-34999/0-4999/75000-99999/45000-54999
        Poverty: sensitive: number 0 5 2
        HomeRooms: quasi: number 1 12
        HomeOwn: quasi: pick Own/Rent/Other
        Work: quasi: pick Working/NotWorking/Looking
        Weight: quasi: number 40 130 1
        Height: quasi: number 140 200 1
        BMI: sensitive|quasi: number 17 45 2
        Pulse: sensitive: number 50 110
        BPSysAve: sensitive: number 90 180
        BPDia: sensitive: number 40 110
        Testosterone: sensitive: number 5 900 2
        Diabetes: sensitive: pick No/Yes
        Depressed: sensitive: pick None/Several/Most
        SmokeNow: sensitive: pick No/Yes/
        HardDrugs: sensitive: pick No/Yes
        SexOrientation: sensitive: pick Heterosexual/Bisexual/Homosexual
    """,
    "ship": """
        PassengerId: identifier: rows 1
        survived: sensitive|omitted: pick 0/1
        pclass: quasi: pick 3/1/2
        Name: identifier: turned en
        sex: quasi: pick male/female
        age: quasi: number 1 75
        sibsp: quasi: number 0 5
        parch: quasi: number 0 4
        ticket: identifier: form A/5 #####
        fare: sensitive|quasi: wealth 30 2
        cabin: quasi|identifier: form C##
        embarked: quasi: pick S/C/Q
        who: quasi: pick man/woman/child
        embark_town: quasi|omitted: copy embarked > S=Southampton/C=Cherbourg/Q=Queenstown
        alive: omitted|sensitive: copy survived > 0=no/1=yes
    """,
    "credit": """
        column 1: omitted: rows 0
        Age: quasi: number 19 75
        Sex: quasi: pick male/female
        Job: quasi: pick 2/1/3/0
        Housing: quasi: pick own/rent/free
        Saving accounts: sensitive: pick little/moderate/quite rich/rich/
        Checking account: sensitive: pick little/moderate/rich/
        Credit amount: sensitive: wealth 3000
        Duration: quasi|sensitive: number 4 72
        Purpose: quasi|sensitive: pick car/radio/TV/furniture/business/education/repairs
        Risk: sensitive: pick good/bad
    """,
    "patients": """
        Id: identifier: form ########-####-####-####-############
        BIRTHDATE: quasi: date 1920 2015
        DEATHDATE: quasi: date 2000 2020
        SSN: identifier: form 999-##-####
        DRIVERS: identifier: form S999#####
        PASSPORT: identifier: form X########X
        PREFIX: quasi|identifier: pick Mr./Mrs./Ms.
        FIRST: identifier: given en
        LAST: identifier: family en
        MAIDEN: identifier: family en
        MARITAL: quasi: pick M/S/D/W
        RACE: quasi: pick white/black/asian/native/other
        ETHNICITY: quasi: pick nonhispanic/hispanic
        GENDER: quasi: pick M/F
        BIRTHPLACE: quasi: pick Boston  Massachusetts  US/Worcester  Massachusetts  US/Lowell  Massachusetts
        ADDRESS: identifier: form ### Maple Street Unit ##
        CITY: quasi: pick Boston/Worcester/Springfield/Lowell/Cambridge/Quincy
        STATE: quasi: pick Massachusetts/Vermont
        ZIP: quasi: form 02###
        LAT: quasi: number 41 42 6
        LON: quasi: number -73 -70 6
        HEALTHCARE_EXPENSES: sensitive: wealth 90000 2
        HEALTHCARE_COVERAGE: sensitive: wealth 9000 2
    """,
    "household test data": """
        urbrur: quasi: pick 2/1
        roof: quasi: pick 4/2/5/6/9
        walls: quasi: pick 3/2/9
        water: quasi: pick 3/4/2/8
        electcon: quasi: pick 1/2/3
        relat: quasi: pick 3/1/2/4/5/9
        sex: quasi: pick 1/2
        age: quasi: number 1 95
        hhcivil: quasi: pick 1/2/3/4
        expend: sensitive: wealth 900000
        income: sensitive: wealth 50000
        savings: sensitive: wealth 90000
        ori_hid: household: several 1
        sampling_weight: omitted: number 80 120
        household_weights: omitted: number 15 38 4
    """,
    "Klinik": """
        Fallnummer: identifier: form F20######
        Patientennummer: entity: several 77
        Nachname: identifier: family de
        Vorname: identifier: given de
        Geburtsdatum: quasi: date 1925 2010 d.m.y
        Geschlecht: quasi: pick w/m/d
        PLZ: quasi: form 1####
        Aufnahmedatum: quasi: date 2019 2020 d.m.y
        Verweildauer: quasi: number 1 30
        Hauptdiagnose: sensitive: pick E11.9/I10/C50.1/J45.0/F32.1/K29.7
        Laborwert CRP: sensitive: number 0 90 1 ,
        Arztbrief: identifier: text
        Kosten: sensitive: number 500 20000 2 ,
        Station: quasi: pick Innere/Chirurgie/Kinder/Intensiv
    """,
    "Personal": """
        Personalnummer: identifier: form 00####
        Name: identifier: turned de
        E-Mail: identifier: mail de
        Abteilung: quasi: pick Vertrieb/Entwicklung/Einkauf/Personal/Lager
        Eintrittsdatum: quasi: date 1990 2020
        Geburtsjahr: quasi: number 1955 2001
        Geschlecht: quasi: pick männlich/weiblich
        Familienstand: quasi: pick verheiratet/ledig/geschieden/verwitwet
        Konfession: sensitive: pick evangelisch/katholisch/keine/muslimisch
        Jahresgehalt: sensitive: wealth 45000
        Krankheitstage: sensitive: number 0 40
        Leistungsbewertung: sensitive: pick B/A/C/D
        Schwerbehinderung: sensitive: pick nein/ja
        Vertragsart: quasi: pick unbefristet/befristet
    """,
    "Befragung": """
        Bogennummer: identifier: rows 1000
        Gewichtung: omitted: number 0.3 2.7 3 ,
        Bundesland: quasi: pick Bayern/Sachsen/Hessen/Berlin/Hamburg/Saarland
        Alter: quasi: number 16 92
        Schulabschluss: quasi: pick Abitur/Realschule/Hauptschule/ohne Abschluss
        Beruf: quasi: pick Angestellter/Beamter/Arbeiter/Rentner/Selbstständig
        Haushaltseinkommen: sensitive: pick 1000-1999/2000-2999/3000-3999/4000+
        Parteipräferenz: sensitive: pick CDU/SPD/Grüne/FDP/AfD/Die Linke
        Zufriedenheit: sensitive: number 0 10
        Anmerkungen: identifier: text
    """,
    "patients fr": """
        id_patient: identifier: form P######
        nom: identifier: family fr
        prenom: identifier: given fr
        date_de_naissance: quasi: date 1925 2012 d/m/y
        sexe: quasi: pick F/M
        code_postal: quasi: form 75###
        ville: quasi: pick Paris/Lyon/Marseille/Lille/Toulouse/Nantes
        profession: quasi: pick ouvrier/cadre/enseignant/retraité/étudiant
        date_entree: quasi: date 2020 2021 d/m/y
        diagnostic: sensitive: pick hypertension/diabète/asthme/dépression/cancer du sein
        tabagisme: sensitive: pick non/oui
        montant: sensitive: number 100 9000 2 ,
        telephone: identifier: form 06 ## ## ## ##
        commentaire: identifier: text
    """,
    "salariés": """
        matricule: identifier: form M#####
        nom_complet: identifier: full fr
        sexe: quasi: pick Homme/Femme
        age: quasi: number 20 64
        situation_familiale: quasi: pick marié/célibataire/divorcé/pacsé
        poste: quasi: pick technicien/ingénieur/comptable/directeur
        salaire_brut: sensitive: wealth 2500 2
        anciennete: quasi: number 0 40
        jours_arret: sensitive: number 0 60
        syndicat: sensitive: pick aucun/CGT/CFDT/FO
    """,
    "pacientes": """
        nhc: entity: several 3
        nombre: identifier: given es
        apellidos: identifier: family es
        dni: identifier: form ########?
        fecha_nacimiento: quasi: date 1930 2014 d/m/y
        sexo: quasi: pick Mujer/Hombre
        municipio: quasi: pick Madrid/Sevilla/Bilbao/Málaga/Valencia
        estado_civil: quasi: pick casado/soltero/viudo/divorciado
        diagnostico: sensitive: pick hipertensión/asma/diabetes tipo 2/depresión/EPOC
        tratamiento: sensitive: pick metformina/enalapril/salbutamol/sertralina
        glucosa: sensitive: number 60 300
        coste: sensitive: number 50 5000 2 ,
    """,
    "alumnos": """
        id_alumno: identifier: form A########
        nombre_completo: identifier: full es
        curso: quasi: pick 3A/3B/4A/4B
        edad: quasi: number 12 18
        sexo: quasi: pick F/M
        barrio: quasi: pick Centro/Norte/Triana/Nervión
        nota_media: sensitive: number 2 10 2
        becado: sensitive|quasi: pick no/sí
        profesion_padre: quasi: pick obrero/autónomo/funcionario/jubilado
        observaciones: identifier: text
    """,
    "dipendenti": """
        codice_fiscale: identifier: form ??????##?##?###?
        cognome: identifier: family it
        nome: identifier: given it
        data_nascita: quasi: date 1955 2000 d/m/y
        comune: quasi: pick Milano/Napoli/Torino/Bari/Palermo
        titolo_di_studio: quasi: pick diploma/laurea/licenza media/dottorato
        stipendio: sensitive: number 1200 6000 2 ,
        reparto: quasi: pick vendite/acquisti/produzione
        valutazione: sensitive: number 1 5
        giorni_malattia: sensitive: number 0 50
    """,
    "klanten": """
        klantnummer: identifier: form K######
        voornaam: identifier: given nl
        achternaam: identifier: family nl
        geboortedatum: quasi: date 1940 2003
        geslacht: quasi: pick man/vrouw
        postcode: quasi: form 10## ??
        woonplaats: quasi: pick Amsterdam/Utrecht/Rotterdam/Groningen
        beroep: quasi: pick leraar/verpleegkundige/ambtenaar/kok
        inkomen: sensitive: wealth 35000
        hypotheek: sensitive: wealth 200000
        IBAN: identifier: pick NL91ABNA0417164300/NL20INGB0001234567/NL39RABO0300065264
        telefoonnummer: identifier: form 06-########
    """,
    "utentes": """
        id_utente: identifier: form U#######
        nome: identifier: full pt
        data_nascimento: quasi: date 1930 2010
        sexo: quasi: pick F/M
        concelho: quasi: pick Lisboa/Porto/Braga/Coimbra
        escolaridade: quasi: pick ensino básico/ensino secundário/ensino superior
        doenca: sensitive: pick hipertensão/asma/diabetes tipo II/depressão
        rendimento_mensal: sensitive: wealth 900 2
        estado_civil: quasi: pick casado/solteiro/viúvo/divorciado
        medicacao: sensitive: pick sim/não
    """,
    "telecom": """
        customerID: identifier: form ####-?????
        gender: quasi: pick Female/Male
        SeniorCitizen: quasi: pick 0/1
        Partner: quasi: pick No/Yes
        Dependents: quasi: pick No/Yes
        tenure: quasi: number 0 72
        PhoneService: quasi: pick Yes/No
        InternetService: quasi: pick Fiber optic/DSL/No
        Contract: quasi: pick Month-to-month/Two year/One year
        PaymentMethod: quasi|sensitive: pick Electronic check/Mailed check/Bank transfer
        MonthlyCharges: sensitive: number 18 118 2
        TotalCharges: sensitive: wealth 2000 2
        Churn: sensitive: pick No/Yes
        msisdn: identifier: form 4477########
    """,
    "bank marketing": """
        age: quasi: number 18 90
        job: quasi: pick admin./technician/services/management/retired/student
        marital: quasi: pick married/single/divorced
        education: quasi: pick secondary/tertiary/primary
        default: sensitive: pick no/yes
        balance: sensitive: wealth 1400
        housing: quasi|sensitive: pick yes/no
        loan: sensitive: pick no/yes
        contact: quasi|identifier: pick cellular/telephone
        month: quasi: pick may/jul/aug/jun/nov/apr
        duration: quasi|sensitive: number 1 3000
    """,
    "insurance": """
        policy_number: identifier: form 5#####
        insured_name: identifier: full en
        insured_zip: quasi: form 4#####
        insured_sex: quasi: pick MALE/FEMALE
        insured_occupation: quasi: pick sales/craft-repair/tech-support/exec-managerial
        incident_date: quasi: date 2015 2015
        incident_state: quasi: pick NY/SC/WV/VA
        total_claim_amount: sensitive: wealth 50000
        annual_premium: sensitive: number 600 2000 2
        fraud_reported: sensitive: pick N/Y
        injuries: sensitive: number 0 3
        vehicle_registration: identifier: form ??## ???
        children: quasi: number 0 5
        smoker: sensitive: pick no/yes
    """,
    "school": """
        student_id: identifier: rows 5001
        surname: identifier: family en
        forename: identifier: given en
        dob: quasi: date 2003 2010 d/m/y
        year_group: quasi: pick 7/8/9/10/11
        postcode: quasi: form SW## #??
        ethnicity: quasi: pick White British/Black African/Asian/Mixed/Other
        free_lunch: sensitive|quasi: pick no/yes
        special_needs: sensitive: pick none/support/statement
        maths_grade: sensitive: pick B/C/A/D/E
        attendance: sensitive|quasi: number 70 100 1
        first_language: quasi: pick English/Polish/Urdu/Somali
        teacher_comments: identifier: text
    """,
    "pacjenci": """
        pesel: identifier: form ###########
        imie: identifier: given pl
        nazwisko: identifier: family pl
        data_urodzenia: quasi: date 1930 2010
        plec: quasi: pick K/M
        miasto: quasi: pick Warszawa/Kraków/Łódź/Gdańsk
        zawod: quasi: pick nauczyciel/rolnik/kierowca/emeryt
        choroba: sensitive: pick nadciśnienie/cukrzyca/astma/depresja
        wynagrodzenie: sensitive: wealth 5000
    """,
}
