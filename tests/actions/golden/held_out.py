"""Tables that were written when the rules were done."""

HELD_OUT = {
    "library": """
        card: identifier: form LIB########
        reader: identifier: full en
        joined: quasi: date 2005 2021
        birth_year: quasi: number 1940 2012
        ward: quasi: pick Northgate/Eastfield/Harbour/Old Town
        language: quasi: pick English/Polish/Punjabi/Arabic
        loans: quasi|sensitive|insensitive: number 0 200
        overdue_fees: sensitive: wealth 4 2
        favourite_subject: quasi|sensitive|insensitive: pick crime/history/romance/health/religion
        phone2: identifier: form 07### ######
    """,
    "maternity": """
        mother_id: identifier: form M#########
        infant_sex: quasi: pick girl/boy
        delivery_date: quasi: date 2015 2018
        mother_age: quasi: number 16 46
        gravida: sensitive|quasi: number 1 7
        birth_weight_g: sensitive|quasi: number 1500 4500
        apgar_5: sensitive: number 3 10
        gestational_weeks: sensitive|quasi: number 27 42
        smoking_in_pregnancy: sensitive: pick no/yes
        hiv_test: sensitive: pick negative/positive/not done
        region_of_residence: quasi: pick North/South/Coast/Capital
        midwife: identifier: full en
    """,
    "court de": """
        Aktenzeichen: identifier: form 4 Ls ###/####
        Angeklagter: identifier: turned de
        Geburtsort: quasi: pick Hamburg/Ankara/Köln/Warschau/Leipzig
        Staatsangehörigkeit: quasi: pick deutsch/türkisch/polnisch/italienisch
        Tatvorwurf: sensitive: pick Diebstahl/Betrug/Körperverletzung/Raub
        Tatzeit: quasi: date 2016 2019
        Vorstrafen: sensitive: number 0 9
        Strafmaß in Monaten: sensitive: number 0 60
        Verteidiger: identifier: family de
        Richter: identifier: family de
        Alter bei Tat: quasi: number 18 70
    """,
    "energie": """
        Zählernummer: identifier: form 1EMH00########
        Kunde: identifier: full de
        Straße: identifier: form Lindenweg ##
        Ort: quasi: pick Jena/Erfurt/Gera/Weimar
        Tarif: quasi|insensitive: pick Basis/Öko/Komfort
        Verbrauch kWh: sensitive|quasi: number 800 6000 1 ,
        Abschlag: sensitive: number 40 250 2 ,
        Haushaltsgröße: quasi: number 1 6
        Wohnfläche: quasi: number 25 180
        Zahlungsverzug: sensitive: pick nein/ja
        Kontakt: identifier: mail de
    """,
    "université": """
        numero_etudiant: identifier: form 22######
        etudiant: identifier: full fr
        annee_naissance: quasi: number 1990 2005
        nationalite: quasi: pick française/marocaine/sénégalaise/chinoise
        filiere: quasi: pick droit/médecine/lettres/biologie
        boursier: sensitive|quasi: pick non/oui
        moyenne_generale: sensitive: number 4 19 2 ,
        mention: sensitive: pick assez bien/bien/très bien/aucune
        logement: quasi: pick parents/résidence/colocation
        handicap: sensitive: pick non/oui
        adresse_mail: identifier: mail fr
        departement_origine: quasi: pick Gironde/Rhône/Finistère/Nord
    """,
    "seguro": """
        poliza: identifier: form POL-########
        asegurado: identifier: full es
        fecha_nac: quasi: date 1940 2002 d/m/y
        provincia: quasi: pick Sevilla/Granada/Cádiz/Huelva/Jaén
        matricula: identifier: form ####???
        marca_vehiculo: quasi|insensitive: pick Seat/Renault/Ford/Toyota
        siniestros: sensitive: number 0 4
        importe_siniestro: sensitive: number 200 9000 2 ,
        prima_anual: sensitive: number 200 1200 2 ,
        profesion: quasi: pick albañil/camarera/abogado/taxista
        fumador: sensitive: pick no/sí
    """,
    "ospedale": """
        id_ricovero: identifier: form RIC########
        cod_paziente: entity: several 4
        sesso: quasi: pick F/M
        eta: quasi: number 0 98
        regione: quasi: pick Lazio/Toscana/Puglia/Veneto
        data_ricovero: quasi: date 2018 2020
        giorni_degenza: quasi: number 1 40
        diagnosi_principale: sensitive: pick polmonite/scompenso cardiaco/BPCO/ictus/frattura
        esito: sensitive: pick dimesso/trasferito/deceduto
        costo_drg: sensitive: number 900 15000 2
        medico_curante: identifier: turned it
        note_cliniche: identifier: text
    """,
    "personeel": """
        personeelsnr: identifier: form 9######
        naam: identifier: full nl
        functie: quasi: pick monteur/planner/teamleider/inkoper
        geboortejaar: quasi: number 1956 2002
        burgerlijke_staat: quasi: pick gehuwd/ongehuwd/gescheiden
        bruto_maandloon: sensitive: wealth 3200 2
        ziekteverzuim_dagen: sensitive: number 0 45
        beoordeling: sensitive: pick goed/voldoende/onvoldoende
        vakbondslid: sensitive: pick nee/ja
        gemeente: quasi: pick Leeuwarden/Sneek/Drachten
        indiensttreding: quasi: date 1988 2021
    """,
    "banco": """
        conta: identifier: form 00########-#
        titular: identifier: full pt
        cpf: identifier: form ###.###.###-##
        idade: quasi: number 18 88
        bairro: quasi: pick Copacabana/Tijuca/Méier/Bangu
        renda_mensal: sensitive: wealth 3000 2
        limite_cartao: sensitive: wealth 5000
        inadimplente: sensitive: pick não/sim
        raca_cor: quasi: pick parda/branca/preta/indígena
        ocupacao: quasi: pick motorista/professora/pedreiro/aposentado
        ultimo_acesso: quasi: date 2021 2022
    """,
    "panel survey": """
        Unnamed 0: omitted: rows 0
        pidp: entity: several 680
        wave: quasi|insensitive: pick 1/2/3
        dvage: quasi: number 16 90
        gor_dv: quasi: pick London/Wales/Scotland/North East
        jbstat: quasi: pick employed/retired/student/unemployed
        fimngrs_dv: sensitive: wealth 1800 2
        vote4: sensitive: pick conservative/labour/liberal democrat/green party
        oprlg1: sensitive: pick anglican/no religion/roman catholic/muslim
        sf1: sensitive|quasi: pick good/fair/excellent/poor
        indinub_xw: omitted|quasi: number 0.2 3.1 6
        intdatd_dv: quasi: number 1 31
    """,
    "dating": """
        user: identifier: form nick????##
        signup_date: quasi: date 2018 2022
        age: quasi: number 18 60
        orientation: sensitive: pick straight/gay/bisexual
        body_type: quasi: pick average/fit/curvy/thin
        height_in: quasi: number 58 78
        religion: sensitive: pick agnosticism/christianity/islam/atheism
        drinks: sensitive: pick socially/rarely/often
        essay0: identifier: text
        income_band: sensitive: pick 20000/40000/80000/100000
        location: quasi: pick oakland  california/san francisco  california/berkeley  california
        ip: identifier: form 10.##.1##.##
    """,
}
