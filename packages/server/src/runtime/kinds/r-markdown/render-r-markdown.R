# Renders R Markdown of a bundle, in the bundle's directory: Rscript render-r-markdown.R MODE INPUT OUTPUT VALUES
# MODE is "document" (INPUT is a file) or "site" (INPUT is the page to open). OUTPUT gets index.html and its files.
# VALUES is a JSON file with values for parameters, or empty for the document's defaults.

arguments <- commandArgs(trailingOnly = TRUE)
mode <- arguments[[1]]
input <- arguments[[2]]
output <- arguments[[3]]
values <- if (length(arguments) > 3) arguments[[4]] else ""

put <- function(from, to) {
  if (!file.exists(from)) return(invisible(FALSE))
  dir.create(dirname(to), recursive = TRUE, showWarnings = FALSE)
  if (dir.exists(from)) {
    dir.create(to, showWarnings = FALSE)
    file.copy(list.files(from, full.names = TRUE, all.files = TRUE, no.. = TRUE), to, recursive = TRUE)
  } else if (!file.exists(to)) {
    file.copy(from, to)
  }
  invisible(TRUE)
}

# Whether a path is relative and within the bundle.
below <- function(path) {
  nzchar(path) & !startsWith(path, "/") & !grepl("(^|/)\\.\\.(/|$)", path)
}

# A page with a link to a document that browsers do not display.
write_link_page <- function(file, title) {
  escape <- function(text) {
    text <- gsub("&", "&amp;", text, fixed = TRUE)
    text <- gsub("<", "&lt;", text, fixed = TRUE)
    text <- gsub(">", "&gt;", text, fixed = TRUE)
    gsub('"', "&quot;", text, fixed = TRUE)
  }
  page <- c(
    "<!doctype html>", '<html lang="en">', '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    sprintf("<title>%s</title>", escape(title)),
    '<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>',
    sprintf("<h1>%s</h1>", escape(title)),
    sprintf('<p><a href="%s">%s</a></p>', escape(utils::URLencode(file)), escape(file)),
    "</html>"
  )
  writeLines(enc2utf8(page), file.path(output, "index.html"), useBytes = TRUE)
}

# Relative paths in the HTML of a page.
paths_in <- function(page) {
  text <- readChar(page, file.size(page), useBytes = TRUE)
  found <- regmatches(text, gregexpr("\\b(?:src|href)=[\"'][^\"'#?:]+", text, perl = TRUE, useBytes = TRUE))
  paths <- unique(sub("^[a-z]+=.", "", found[[1]], useBytes = TRUE))
  paths <- gsub("&amp;", "&", paths, fixed = TRUE, useBytes = TRUE)
  # A percent sign that begins no escape is part of the name.
  paths <- gsub("%(?![0-9A-Fa-f]{2})", "%25", paths, perl = TRUE, useBytes = TRUE)
  paths <- paths[!grepl("%00", paths, fixed = TRUE, useBytes = TRUE)]
  decoded <- vapply(paths, utils::URLdecode, "", USE.NAMES = FALSE)
  Encoding(decoded) <- "UTF-8"
  decoded[validUTF8(decoded)]
}

# Copies files that the page refers to, that the front matter lists, and that the document says it created.
copy_resources <- function(page, front, made) {
  shown <- if (is.null(page)) character() else paths_in(page)
  if (length(shown) > 0) {
    # Style sheets refer to further files.
    more <- tryCatch(rmarkdown::find_external_resources(input), error = function(e) NULL)
    shown <- c(shown, more$path[more$web])
  }
  named <- unlist(list(front$resource_files, front$rmd_output_metadata$rsc_output_files, made), use.names = FALSE)
  for (pattern in as.character(named)) shown <- c(shown, Sys.glob(pattern))
  for (path in unique(shown[below(shown)])) put(path, file.path(output, path))
}

# The report's mail settings, next to its pages; the server moves them.
MAIL_FILE <- ".pressroom-mail.json"
mail_metadata <- function(metadata) {
  said <- metadata
  file <- ".output_metadata.json"
  if (file.exists(file)) {
    written <- tryCatch(jsonlite::fromJSON(file, simplifyDataFrame = FALSE), error = function(e) {
      stop("the document wrote no JSON to ", file, ": ", conditionMessage(e), call. = FALSE)
    })
    said <- utils::modifyList(as.list(said), as.list(written))
  }
  said[startsWith(as.character(names(said)), "rsc_email_")]
}

write_mail <- function(said) {
  if (length(said) == 0) return(invisible())
  for (path in as.character(unlist(said$rsc_email_attachments))) {
    if (below(path)) put(path, file.path(output, path))
  }
  text <- jsonlite::toJSON(said, auto_unbox = TRUE, null = "null")
  writeLines(enc2utf8(as.character(text)), file.path(output, MAIL_FILE), useBytes = TRUE)
}

# Converts a JSON value to the type that the document declares. It is never evaluated as code.
as_declared <- function(value, default) {
  if (is.null(value)) return(NULL)
  value <- unlist(value)
  if (inherits(default, "Date")) return(as.Date(value))
  if (inherits(default, "POSIXct")) return(as.POSIXct(sub("T", " ", value, fixed = TRUE), tz = "UTC", optional = TRUE))
  if (is.logical(default) && is.character(value)) return(tolower(value) %in% c("true", "yes", "on", "1"))
  fits <- function(number) number == round(number) & abs(number) <= .Machine$integer.max
  if (is.integer(default) && is.numeric(value) && all(fits(value))) return(as.integer(value))
  if (is.character(default) && !is.character(value)) return(as.character(value))
  value
}

# NULL for the document's defaults.
given_values <- function() {
  if (!nzchar(values)) return(NULL)
  # Simplified, the text "NA" of a list would become a missing value.
  given <- jsonlite::fromJSON(values, simplifyVector = FALSE)
  if (length(given) == 0) return(NULL)
  declared <- knitr::knit_params(readLines(input, warn = FALSE, encoding = "UTF-8"), evaluate = TRUE)
  defaults <- lapply(declared, function(one) one$value)
  sapply(names(given), function(name) as_declared(given[[name]], defaults[[name]]), simplify = FALSE)
}

# knitr keeps the warning that names the file to itself.
name_unopened <- function(error) {
  if (!identical(conditionMessage(error), "cannot open the connection")) return(invisible())
  for (frame in rev(sys.frames())) {
    path <- frame$description
    if (is.null(path) && inherits(frame$con, "connection")) path <- summary(frame$con)$description
    if (is.character(path)) return(message("  cannot open file '", path[[1]], "'"))
  }
}

# Renders next to the sources, so that all paths in the page are relative; then copies the result.
render_document <- function() {
  front <- rmarkdown::yaml_front_matter(input)
  result <- rmarkdown::render(input, params = given_values(), envir = new.env(parent = globalenv()))
  rendered <- basename(result)
  # From the front matter, or set by the document's code.
  metadata <- attr(result, "rmd_output_metadata")
  is_page <- grepl("\\.html?$", rendered, ignore.case = TRUE)
  put(rendered, file.path(output, if (is_page) "index.html" else rendered))
  if (!is_page) write_link_page(rendered, if (is.character(front$title)) front$title[[1]] else rendered)
  libraries <- rmarkdown::default_output_format(input)$options$lib_dir
  for (path in c(paste0(tools::file_path_sans_ext(basename(input)), "_files"), libraries)) {
    if (is_page && below(path)) put(path, file.path(output, path))
  }
  copy_resources(if (is_page) rendered, front, metadata$rsc_output_files)
  said <- mail_metadata(metadata)
  if (!is_page && is_attached(rendered, said)) said$rsc_email_attachments <- c(unlist(said$rsc_email_attachments), rendered)
  write_mail(said)
}

# Whether a document that is no page, only linked from one, is attached to its mail: unless it is large.
is_attached <- function(file, said) {
  left_out <- isTRUE(as.logical(said$rsc_email_suppress_report_attachment))
  !left_out && file.size(file) <= 10 * 2^20 && !file %in% unlist(said$rsc_email_attachments)
}

# Books whose first page names no generator: bookdown's own function renders them.
render_book <- function() {
  made <- bookdown::render_book(input, output_dir = "_pressroom_book", envir = new.env(parent = globalenv()))
  put("_pressroom_book", output)
  if (!file.exists(file.path(output, "index.html"))) put(made[[1]], file.path(output, basename(made[[1]])))
  pages <- list.files(output, pattern = "\\.html?$")
  if (!file.exists(file.path(output, "index.html")) && length(pages) > 0) {
    put(file.path(output, pages[[1]]), file.path(output, "index.html"))
  }
  if (length(pages) == 0) write_link_page(basename(made[[1]]), basename(made[[1]]))
}

render_site <- function() {
  generator <- rmarkdown::site_generator(".")
  is_book <- any(file.exists(c("_bookdown.yml", "_bookdown.yaml")))
  if (is_book && file.exists(input) && is.null(rmarkdown::yaml_front_matter(input)$site)) return(render_book())
  if (is.null(generator)) stop("this is no R Markdown site: there is neither index.Rmd nor _site.yml")
  rmarkdown::render_site(".", envir = new.env(parent = globalenv()))
  built <- generator$output_dir
  if (is.null(built) || identical(built, ".")) {
    # Rendered next to the sources, which are left out.
    files <- list.files(".", all.files = FALSE)
    files <- files[!grepl("^_|\\.([Rr]md|R|Rproj|ya?ml)$|^manifest\\.json$", files)]
    for (path in files) put(path, file.path(output, path))
  } else {
    put(built, output)
  }
  if (!file.exists(file.path(output, "index.html"))) {
    put(file.path(output, sub("\\.[Rr]md$", ".html", input)), file.path(output, "index.html"))
  }
}

if (!requireNamespace("rmarkdown", quietly = TRUE)) {
  stop("there is no package called 'rmarkdown'", call. = FALSE)
}
withCallingHandlers(if (mode == "site") render_site() else render_document(), error = name_unopened)
if (!file.exists(file.path(output, "index.html"))) stop("nothing was rendered", call. = FALSE)
