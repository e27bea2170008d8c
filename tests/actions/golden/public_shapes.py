"""Tables in the shapes of public ones that showed what the rules did not know: short forms, other scripts, flags."""

PUBLIC_SHAPES = {
    "intensive care": """
        patientunitstayid: identifier: form 2######
        patienthealthsystemstayid: identifier|entity: form 1#####
        gender: quasi: pick Male/Female
        age: quasi: number 18 89
        hospitalid: quasi: pick 59/73/167/264/420
        apacheadmissiondx: sensitive: pick Sepsis, pulmonary/CVA, cerebrovascular accident/Infarction, acute/CHF
        hospitaldischargestatus: sensitive: pick Alive/Expired
        unittype: quasi|sensitive|insensitive: pick Med-Surg ICU/MICU/CTICU/Neuro ICU
        hospital_expire_flag: sensitive: pick 0/1
        uniquepid: identifier|entity: form 0##-#####
    """,
    "health interviews": """
        _STATE: quasi: pick 1/2/4/5/6/8/12/36/48
        IDATE: quasi: date 2015 2015 mdy
        SEQNO: identifier: rows 2015000001
        GENHLTH: sensitive: pick 1/2/3/4/5
        PHYSHLTH: sensitive: pick 88/30/77/5/2/10
        HIVTST6: sensitive: pick 1/2/
        BPHIGH4: sensitive: pick 1/3
        SEX: quasi: pick 1/2
        INCOME2: sensitive|quasi: pick 1/2/3/4/5/6/7/8/77/99
        _LLCPWT: omitted: wealth 300 6
    """,
    "loans in short": """
        id: identifier: rows 68407277
        loan_amnt: sensitive: wealth 15000
        int_rate: sensitive: form ##.#%
        emp_title: quasi: pick Teacher/Manager/Registered Nurse/Driver/Owner
        annual_inc: sensitive: wealth 60000
        issue_d: quasi: pick Dec-2015/Nov-2015/Oct-2015
        pymnt_plan: insensitive|omitted: pick n
        addr_state: quasi: pick CA/NY/TX/FL/IL
        revol_bal: sensitive: wealth 12000
        open_acc: sensitive: number 1 40
        total_pymnt: sensitive: wealth 9000 6
    """,
    "taxes": """
        AFNLWGT: omitted: wealth 190000
        AGI: sensitive: wealth 40000
        FEDTAX: sensitive: wealth 5000
        STATETAX: sensitive: wealth 1800
        TAXINC: sensitive: wealth 30000
        WSALVAL: sensitive: wealth 35000
        RESSALES: sensitive: wealth 90000
        age: quasi: number 18 80
    """,
    "conditions": """
        START: quasi: date 2010 2020
        PATIENT: entity: several P-
        DESCRIPTION: sensitive|omitted: pick Viral sinusitis (disorder)/Anemia (disorder)/Stress (finding)/Hypertension
        CODE: omitted|sensitive|quasi: copy DESCRIPTION
        driving_licence: quasi|insensitive: pick Y/N
        DRIVERS: identifier: form S999#####
        sex_code: identifier: form M####
    """,
    "voters": """
        voter_reg_num: identifier: form 0000########
        last_name: identifier: family en
        first_name: identifier: given en
        res_city_desc: quasi: pick RALEIGH/CARY/DURHAM/CHARLOTTE
        state_cd: insensitive|omitted: pick NC
        drivers_lic: quasi|insensitive: pick Y/N
        party_cd: sensitive: pick DEM/REP/UNA/LIB
        WEIGHT: omitted: wealth 270 2
        JobSatisfaction: sensitive|insensitive: pick 1/2/3/4
        centro_saude: quasi: pick CS Alvalade/CS Benfica/CS Sete Rios
    """,
    "مرضى": """
        رقم الملف: identifier: form 4#####
        الاسم: identifier: given ar
        الجنس: quasi: pick ذكر/أنثى
        تاريخ الميلاد: quasi: date 1940 2015
        المدينة: quasi: pick الرياض/جدة/الدمام
        التشخيص: sensitive: pick السكري/الربو/ارتفاع ضغط الدم
        x: identifier: given ar
    """,
    "מטופלים": """
        שם פרטי: identifier: given he
        תאריך לידה: quasi: date 1940 2015
        מין: quasi: pick זכר/נקבה
        אבחנה: sensitive: pick סוכרת/אסתמה/יתר לחץ דם
        x: identifier: given he
    """,
    "रोगी": """
        पंजीकरण संख्या: identifier: form 7#####
        पिता का नाम: identifier: given hi
        लिंग: quasi: pick पुरुष/महिला
        जिला: quasi: pick पटना/गया/भागलपुर
        रोग: sensitive: pick मधुमेह/दमा
        x: identifier: given hi
    """,
    "ผู้ป่วย": """
        ชื่อ: identifier: given th
        เพศ: quasi: pick ชาย/หญิง
        จังหวัด: quasi: pick กรุงเทพมหานคร/เชียงใหม่/ขอนแก่น
        การวินิจฉัย: sensitive: pick เบาหวาน/หอบหืด
        x: identifier: given th
    """,
    "больные": """
        № карты: identifier: form 5#####
        Имя: identifier: given ru
        Фамилия: identifier: family ru
        Пол: quasi: pick муж/жен
        Дата рождения: quasi: date 1940 2015 d.m.y
        Диагноз: sensitive: pick Сахарный диабет/Астма/Гипертония
        x: identifier: given ru
        z: identifier: family ru
    """,
    "ασθενείς": """
        Επώνυμο: identifier: family el
        Φύλο: quasi: pick Άνδρας/Γυναίκα
        Πόλη: quasi: pick Αθήνα/Πάτρα/Βόλος
        Διάγνωση: sensitive: pick Διαβήτης/Άσθμα
        x: identifier: given el
        z: identifier: family el
    """,
}
