# The R package: data frames in and out, kinds and labels kept, figures as in Python. Ends with an error if one is not so.
library(shoal)

set.seed(1)
n <- 300
persons <- data.frame(
  name = sprintf("Secret-%d", seq_len(n)),
  age = sample(20:79, n, replace = TRUE),
  sex = factor(sample(c("F", "M"), n, replace = TRUE), levels = c("F", "M", "X")),
  region = sample(c(1, 2, 3), n, replace = TRUE),
  ill = sample(c("asthma", "flu", NA, "ulcer"), n, replace = TRUE),
  paid = sample(c(0.1, 100000, 1e-7, 2/3), n, replace = TRUE),
  seen = as.Date("2024-01-01") + sample(0:99, n, replace = TRUE),
  fine = sample(c(TRUE, FALSE, NA), n, replace = TRUE),
  answer = sample(c(1L, 2L, NA, 9L), n, replace = TRUE)
)
attr(persons$region, "label") <- "Region"
attr(persons$region, "labels") <- c(North = 1, South = 2, West = 3, Nowhere = 4)
class(persons$region) <- c("haven_labelled", "vctrs_vctr", "double")
attr(persons$answer, "label") <- "Are you well?"
attr(persons$answer, "labels") <- c(Yes = 1L, No = 2L, Never = 7L)
class(persons$answer) <- c("haven_labelled", "vctrs_vctr", "integer")
attr(persons$age, "label") <- "Age in years"

kept <- c("paid", "seen", "fine", "answer")
released <- anonymize(
  persons, quasi = list(age = list(type = "intervals", widths = list(10, 20)), sex = NULL, region = NULL),
  sensitive = "ill", insensitive = kept, drop = "name", k = 5, require = "distinct-l-diversity:l=2,column=ill", seed = 1L
)

# What leaves is a data frame of all records, without names.
stopifnot(is.data.frame(released), nrow(released) == n)
stopifnot(identical(names(released), setdiff(names(persons), "name")))
stopifnot(!any(grepl("Secret-", unlist(lapply(released, as.character)))))

# Columns that leave as they came hold the same values of the same kind.
for (name in c("ill", kept)) {
  stopifnot(identical(class(released[[name]]), class(persons[[name]])))
  stopifnot(identical(sort(unclass(released[[name]]), na.last = TRUE), sort(unclass(persons[[name]]), na.last = TRUE)) ||
    isTRUE(all.equal(table(unclass(released[[name]]), useNA = "always"), table(unclass(persons[[name]]), useNA = "always"),
      check.attributes = FALSE)))
  stopifnot(sum(is.na(released[[name]])) == sum(is.na(persons[[name]])))
}
stopifnot(identical(attr(released$answer, "label"), "Are you well?"))
stopifnot(identical(attr(released$answer, "labels"), c(Yes = 1L, No = 2L)))  # 7 was never said
stopifnot(haven::is.labelled(released$answer))
stopifnot(identical(levels(haven::as_factor(released$answer)), c("Yes", "No", "9")))

# A quasi column tells its name, and each class has k records, counted by R.
stopifnot(is.character(released$age), identical(attr(released$age, "label"), "Age in years"))
cells <- do.call(paste, c(lapply(released[c("age", "sex", "region")], as.character), sep = "|"))
stopifnot(min(table(cells)) >= 5)
stopifnot(min(tapply(released$ill, cells, function(one) length(unique(one)))) >= 2)

# A column in which nothing was changed is what it was; an unused level does not come out.
plain <- anonymize(persons[c("sex", "region", "ill")], quasi = c("sex", "region"), sensitive = "ill", k = 5)
stopifnot(is.factor(plain$sex), identical(levels(plain$sex), c("F", "M")))
stopifnot(haven::is.labelled(plain$region), identical(attr(plain$region, "labels"), c(North = 1, South = 2, West = 3)))

# The certificate, the files, and what is left of a part.
claims <- certificate(released)$claims
stopifnot(length(claims) == 2, all(vapply(claims, function(claim) claim$holds, logical(1))))
folder <- file.path(tempfile(), "release")
dir.create(dirname(folder))
stopifnot(identical(write_release(released, folder), folder), file.exists(file.path(folder, "public", "data.csv")))
again <- tryCatch(write_release(released, folder), error = function(error) conditionMessage(error))
stopifnot(grepl("exists already", again))
part <- tryCatch(certificate(as.list(released)[1:2]), error = function(error) conditionMessage(error))
stopifnot(grepl("its release is not known", part))

# Checks and risks are those of R's own counting.
cells <- paste(persons$age, persons$sex)
sizes <- table(cells)
found <- check(persons, quasi = c("age", "sex"), sensitive = "ill", require = "k-anonymity:k=2")
stopifnot(found$k == min(sizes), found$classes$count == length(sizes), identical(found$holds, min(sizes) >= 2))
stopifnot(check(released, quasi = c("age", "sex", "region"), require = "k-anonymity:k=5")$holds)
measured <- risk(persons, quasi = c("age", "sex"), suda = 0L)
stopifnot(isTRUE(all.equal(measured$prosecutor$strict$average, round(length(sizes) / n, 4), tolerance = 1e-3)))

# What is at fault is said in words, without a value of the table.
wrong <- tryCatch(anonymize(persons, quasi = "agee", k = 5), error = function(error) conditionMessage(error))
stopifnot(grepl("agee", wrong), !grepl("Secret-", wrong))
twice <- tryCatch(check(setNames(persons[1:2], c("a", "a")), quasi = "a"), error = function(error) conditionMessage(error))
stopifnot(grepl("same name", twice))

# Numbers keep all of their digits on the way.
stopifnot(identical(shoal:::.texts(c(0.1, 1e5, 2/3, NA)), c("0.1", "100000", "0.66666666666666663", NA)))
cat("The R package does as it says.\n")
