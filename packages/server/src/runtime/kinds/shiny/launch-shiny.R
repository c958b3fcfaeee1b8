# Runs a Shiny application, or an interactive R Markdown document, on a unix socket: launch-shiny.R SOCKET [DOCUMENT]
arguments <- commandArgs(TRUE)
# The socket's directory is private; the mask lets its owner connect, and the server, which runs as root then.
port <- structure(arguments[[1]], mask = 7L)

# Adds the script that keeps a session during a short loss of connection, after Shiny's own.
script <- '<script src="__pressroom__/shiny-session.js"></script>'
options(shiny.http.response.filter = function(request, response) {
  page <- grepl("^text/html\\b", response$content_type, perl = TRUE) && is.character(response$content)
  if (page && response$status == 200L) {
    text <- paste(response$content, collapse = "\n")
    response$content <- sub("</head>", paste0(script, "</head>"), text, fixed = TRUE)
  }
  response
})

if (length(arguments) > 1) {
  rmarkdown::run(arguments[[2]], shiny_args = list(port = port, launch.browser = FALSE))
} else {
  shiny::runApp(".", port = port, launch.browser = FALSE)
}
