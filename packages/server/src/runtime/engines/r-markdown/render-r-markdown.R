# Renders R Markdown of a bundle, in the bundle's directory: Rscript render-r-markdown.R MODE INPUT OUTPUT
# MODE is "document" (INPUT is a file) or "site" (INPUT is the page to open). OUTPUT gets index.html and all it needs.

arguments <- commandArgs(trailingOnly = TRUE)
mode <- arguments[[1]]
input <- arguments[[2]]
output <- arguments[[3]]

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

# Only what is below the bundle can be named relative to the document.
below <- function(path) {
  nzchar(path) & !startsWith(path, "/") & !grepl("(^|/)\\.\\.(/|$)", path)
}

# A page that leads to a document browsers do not show as a page of their own.
write_link_page <- function(file, title) {
  escape <- function(text) {
    text <- gsub("&", "&amp;", text, fixed = TRUE)
    text <- gsub("<", "&lt;", text, fixed = TRUE)
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

# Files that the document refers to, those its front matter names, and those it says it made.
copy_resources <- function(front, made) {
  found <- tryCatch(
    rmarkdown::find_external_resources(input),
    error = function(e) {
      message("Resources of ", input, " were not looked for: ", conditionMessage(e))
      NULL
    }
  )
  paths <- if (is.null(found)) character() else found$path[found$web]
  named <- unlist(front$resource_files, use.names = FALSE)
  made <- unlist(c(front$rmd_output_metadata$rsc_output_files, made), use.names = FALSE)
  for (pattern in as.character(c(named, made))) paths <- c(paths, Sys.glob(pattern))
  for (path in unique(paths[below(paths)])) put(path, file.path(output, path))
}

render_document <- function() {
  front <- rmarkdown::yaml_front_matter(input)
  rendered <- rmarkdown::render(input, output_dir = output, envir = new.env(parent = globalenv()))
  made <- rmarkdown::output_metadata$get("rsc_output_files")
  file <- basename(rendered)
  if (grepl("\\.html?$", file, ignore.case = TRUE)) {
    if (file != "index.html") file.rename(rendered, file.path(output, "index.html"))
  } else {
    title <- front$title
    write_link_page(file, if (is.character(title)) title[[1]] else file)
  }
  copy_resources(front, made)
}

render_site <- function() {
  generator <- rmarkdown::site_generator(".")
  if (is.null(generator)) stop("this is no R Markdown site: there is neither index.Rmd nor _site.yml")
  rmarkdown::render_site(".", envir = new.env(parent = globalenv()))
  built <- generator$output_dir
  if (is.null(built) || identical(built, ".")) {
    # Rendered where the sources are: those are not part of it.
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
if (mode == "site") render_site() else render_document()
if (!file.exists(file.path(output, "index.html"))) stop("nothing was rendered", call. = FALSE)
