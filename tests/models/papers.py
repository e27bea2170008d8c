"""The released tables of the papers, class by class, with their sensitive values only."""

from shoal.classes.grouping import Grouping
from shoal.models.by_hand import classes_by_hand

# 002 Figure 18: (2203*, been married, F), (2203*, never married, M), (2204*, been married, M)
FIGURE_18 = [["hypertension"] * 3, ["obesity", "HIV", "obesity"], ["obesity", "HIV", "HIV"]]

# 002 Figure 19: the same classes, with (Diabetes, Cholesterol)
FIGURE_19 = [
    [("N", "230"), ("N", "220"), ("N", "275")],
    [("Y", "250"), ("Y", "260"), ("N", "250")],
    [("N", "285"), ("Y", "210"), ("N", "190")],
]

# 004 Tables 2, 3 and 5: partitions of the ten records of Table 1
_DISEASES = ["viral", "heart", "heart", "cancer", "viral", "viral", "heart", "cancer", "cancer", "cancer"]
TABLE_2 = [[_DISEASES[i - 1] for i in part] for part in ((1, 2, 3), (4, 5, 6, 7), (8, 9, 10))]
TABLE_3 = [[_DISEASES[i - 1] for i in part] for part in ((1, 2), (3, 5, 8, 9), (4, 6, 7, 10))]
TABLE_5 = [[_DISEASES[i - 1] for i in part] for part in ((1, 2, 4), (3, 5, 8, 9), (6, 7, 10))]


def figure_18() -> Grouping:
    return classes_by_hand(FIGURE_18, ["disease"])


def figure_19() -> Grouping:
    return classes_by_hand(FIGURE_19, ["diabetes", "cholesterol"])


def table_2() -> Grouping:
    return classes_by_hand(TABLE_2, ["disease"])


def table_3() -> Grouping:
    return classes_by_hand(TABLE_3, ["disease"])


def table_5() -> Grouping:
    return classes_by_hand(TABLE_5, ["disease"])
