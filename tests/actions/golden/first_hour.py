"""Tables that were tried as a steward would in the first hour, and showed what the rules did not know."""

FIRST_HOUR = {
    "stops": """
        stop_id: identifier: rows 5000
        stop_date: quasi: date 2014 2016
        driver_race: quasi: pick White/Black/Hispanic/Asian
        violation: sensitive: pick Speeding/Equipment/Other/Registration
        lab: identifier: form 0##-0##
        own_telephone: quasi: pick A191/A192
        D.O.B.: quasi: date 1950 1990
    """,
    "visits": """
        SurveyYr: quasi: pick 2009_10/2011_12
        AgeMonths: quasi: number 0 959
        WTINT2YR: omitted: wealth 30000 6
        median_rooms: quasi: number 1 9 4
        PREFIX: quasi: pick Mr./Mrs./Ms.
        death: sensitive: pick 0/1
        hepatitis: sensitive: pick 1/0
        C.P.: quasi: form 289##
        S.No: identifier|omitted: rows 1
    """,
    "人事": """
        社員番号: identifier: form E########
        部署: quasi: pick 営業部/開発部/人事部/総務部
        役職: quasi: pick 一般/主任/課長/部長
        月給: sensitive: number 200000 800000
        評価: sensitive: pick A/B/C/S
        扶養人数: quasi: number 0 4
        既往歴: sensitive: pick なし/高血圧/糖尿病/喘息
    """,
    "przychodnia": """
        Leki: sensitive: pick ramipryl/metformina/salbutamol/sertralina
        Ciśnienie skurczowe: sensitive: number 100 190
        Koszt: sensitive: number 50 900 2 ,
        Dzielnica: quasi: pick Wola/Ursus/Mokotów/Bemowo
        Data ur.: quasi: date 1930 2015 d.m.y
    """,
}
