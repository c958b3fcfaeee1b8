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
  run <- shiny::runApp
  # An app.R that ends with runApp(app) would start a server of its own, and never end to load.
  assignInNamespace("runApp", ns = "shiny", function(appDir = getwd(), ...) {
    if (is.character(appDir)) stop("the application calls runApp(): end it with shinyApp() instead.")
    message("Ignored runApp(): the application is started here.")
    shiny::as.shiny.appobj(appDir)
  })
  run(".", port = port, launch.browser = FALSE)
}
