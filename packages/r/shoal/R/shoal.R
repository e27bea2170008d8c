# shoal from R: a data frame goes to Python as texts, column by column, and comes back as it was.
#
# Every value is a text to shoal. So a column that leaves as it came gets its own values back by looking its texts up:
# whatever kind it had (integer, Date, factor, labelled), it still has. Labels and levels of values that were not
# released do not come out.

#' Release a data frame so that every record hides in a class.
#'
#' @param data A data frame.
#' @param quasi The columns that an attacker may know: their names, or a list that gives each its hierarchy, such as
#'   `list(age = list(type = "intervals", widths = list(5, 10)), zip = "masking", sex = NULL)`.
#' @param sensitive,insensitive,drop,omit Names of columns, as in `shoal.anonymize` of Python.
#' @param k The least number of records in a class.
#' @param require More promises, as texts: `"distinct-l-diversity:l=3,column=diagnosis"`.
#' @param ... What else `shoal.anonymize` takes: `algorithm`, `measure`, `max_suppressed`, `suppressed`, `seed`, ...
#' @return A data frame with the records in random order. Quasi columns are texts, unless nothing in them was changed.
#'   `certificate()` gives its certificate, `write_release()` writes it with all its files.
anonymize <- function(data, quasi, sensitive = character(), insensitive = character(), drop = character(),
                      omit = character(), k = NULL, require = character(), ...) {
  made <- .python()$anonymize(
    .table(data),
    quasi = .recipes(quasi, data), sensitive = as.list(sensitive), insensitive = as.list(insensitive),
    drop = as.list(drop), omit = as.list(omit), k = .whole(k), require = as.list(require), ...
  )
  structure(.frame(made$data, data), release = made)
}

#' The certificate of what `anonymize` gave: every promise with what was asked and what was reached.
#'
#' @param released What `anonymize` returned, as it is.
certificate <- function(released) reticulate::py_to_r(.release(released)$certificate)

#' Write a release with its certificate, job, rules and reports into a new folder.
#'
#' @param released What `anonymize` returned, as it is.
#' @param folder The folder.
#' @param force Whether an existing folder may be replaced.
#' @return The folder.
write_release <- function(released, folder, force = FALSE) {
  .release(released)$write(path.expand(folder), force = force)
  invisible(folder)
}

#' Measure a table by any tool: classes, k, and what every model reaches.
#'
#' @param data A data frame.
#' @param quasi,sensitive Names of columns.
#' @param require Promises to judge, as texts: `"k-anonymity:k=5"`.
#' @return A list; `holds` tells whether all promises hold.
check <- function(data, quasi, sensitive = character(), require = character()) {
  found <- .python()$check(
    .table(data), quasi = as.list(quasi), sensitive = as.list(sensitive), require = as.list(require)
  )
  found <- reticulate::py_to_r(found)
  found$holds <- all(vapply(found$claims, function(claim) isTRUE(claim$holds), logical(1)))
  found
}

#' Measure how likely somebody is found in a table.
#'
#' @param data A data frame.
#' @param quasi Names of columns.
#' @param ... What else `shoal.risk` takes: `weights`, `fraction`, `household`, `suda`, ...
#' @return A list: the risks of the prosecutor, the journalist and the marketer, and what else was asked for.
risk <- function(data, quasi, ...) {
  reticulate::py_to_r(.python()$risk(.table(data), quasi = as.list(quasi), ...)$as_dict())
}

.python <- function() reticulate::import("shoal", convert = FALSE)

.release <- function(released) {
  found <- attr(released, "release", exact = TRUE)
  if (is.null(found)) stop("This is not what anonymize() returned, or only a part of it: its release is not known.")
  found
}

.whole <- function(number) if (is.null(number)) NULL else as.integer(number)

# A frame of polars: each column as a list of texts, with None for what is missing.
.table <- function(data) {
  if (!is.data.frame(data)) stop("'data' is not a data frame.")
  if (anyDuplicated(names(data))) stop("Two columns of 'data' have the same name.")
  polars <- reticulate::import("polars", convert = FALSE)
  columns <- lapply(seq_along(data), function(at) {
    texts <- .texts(data[[at]])
    values <- as.list(texts)
    values[is.na(texts)] <- list(NULL)
    polars$Series(names(data)[[at]], reticulate::r_to_py(values), dtype = polars$String)
  })
  polars$DataFrame(reticulate::r_to_py(columns))
}

# The texts of a column: equal values have equal texts, and different ones different texts.
.texts <- function(column) {
  if (is.list(column) || !is.null(dim(column))) stop("A column of 'data' holds lists or matrices, and not values.")
  if (is.factor(column)) return(as.character(column))
  if (inherits(column, "Date")) return(format(column, "%Y-%m-%d"))
  if (inherits(column, "POSIXct")) return(format(column, "%Y-%m-%dT%H:%M:%OS6%z"))
  plain <- as.vector(unclass(column))
  if (!is.numeric(plain)) return(as.character(plain))
  known <- unique(plain)
  shown <- vapply(known, .number, character(1))
  shown[match(plain, known)]
}

.number <- function(value) {
  if (is.na(value)) return(NA_character_)
  short <- format(value, digits = 15, scientific = FALSE, trim = TRUE)
  if (identical(as.numeric(short), as.numeric(value))) short else sprintf("%.17g", value)
}

# What is said of quasi columns; a labelled one, all values of which have labels, is one of categories.
.recipes <- function(quasi, data) {
  given <- if (is.list(quasi)) quasi else stats::setNames(vector("list", length(quasi)), quasi)
  recipes <- lapply(names(given), function(name) {
    labels <- attr(data[[name]], "labels", exact = TRUE)
    values <- unclass(data[[name]])
    categories <- length(labels) > 0 && all(values[!is.na(values)] %in% labels)
    if (is.null(given[[name]]) && categories) "sets" else given[[name]]
  })
  reticulate::dict(stats::setNames(recipes, names(given)))
}

# The released frame, each column as it came where its texts are those that came.
.frame <- function(released, data) {
  names <- unlist(reticulate::py_to_r(released$columns))
  columns <- lapply(names, function(name) {
    values <- reticulate::py_to_r(released[[name]]$to_list())
    texts <- vapply(values, function(one) if (is.null(one)) NA_character_ else as.character(one), character(1))
    .restored(texts, data[[name]])
  })
  names(columns) <- names
  structure(columns, class = "data.frame", row.names = .set_row_names(length(columns[[1]])))
}

.restored <- function(texts, column) {
  known <- .texts(column)
  kept <- attributes(column)
  if (!all(texts %in% known)) {
    attr(texts, "label") <- kept$label
    return(texts)
  }
  if (is.factor(column)) return(droplevels(column[match(texts, known)]))
  plain <- unclass(column)[match(texts, known)]
  kept$names <- NULL
  if (!is.null(kept$labels)) kept$labels <- kept$labels[kept$labels %in% plain]
  attributes(plain) <- kept
  plain
}
