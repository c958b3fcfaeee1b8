# Runs a plumber or plumber2 API on a unix socket: launch-plumber.R SOCKET [FILE]
arguments <- commandArgs(TRUE)
socket <- arguments[[1]]

# For plumber2, FILE is its settings (_server.yml), or names the package.
settings <- Filter(file.exists, c("_server.yml", "_server.yaml"))
entry <- if (length(arguments) > 1) arguments[[2]] else c(settings, NA)[[1]]
mentions <- function(file, pattern) any(grepl(pattern, readLines(file, warn = FALSE)))
is_plumber2 <- !is.na(entry) && file.exists(entry) && if (basename(entry) %in% settings) {
  mentions(entry, "^engine[ \t]*:[ \t]*[\"']?plumber2\\b")
} else {
  mentions(entry, "^[^#]*\\bplumber2\\b")
}
if (is_plumber2) {
  if (!requireNamespace("plumber2", quietly = TRUE)) stop("there is no package called 'plumber2'", call. = FALSE)
  # fiery listens on an address and a port only: it gets a server function that listens on the socket.
  on_socket <- function(host, port, app, ...) httpuv::startPipeServer(socket, mask = 7L, app, ...)
  imports <- parent.env(asNamespace("fiery"))
  unlockBinding("startServer", imports)
  assign("startServer", on_socket, envir = imports)
  plumber2::api_run(plumber2::api(entry), host = "127.0.0.1", port = 8000, block = TRUE, showcase = FALSE, silent = TRUE)
  quit(save = "no")
}

# plumber sets up its documentation only in run(), which listens on a port: it gets a server function that listens on the
# socket.
assignInNamespace("runServer", ns = "httpuv", function(host, port, app, ...) {
  server <- httpuv::startPipeServer(socket, mask = 7L, app)
  on.exit(httpuv::stopServer(server))
  httpuv::service(0)
})

# entrypoint.R returns a router: plumber runs it only if it finds the file itself, and parses annotations of other files.
is_file <- length(arguments) > 1 && tolower(basename(entry)) != "entrypoint.r"
own <- if (is_file) normalizePath(entry, mustWork = FALSE) else if (!any(tolower(list.files()) == "entrypoint.r")) normalizePath("plumber.R", mustWork = FALSE)

# As at the end of a plumber.R that is also run by hand: the file would read itself without end.
ignore_own <- function(read) {
  force(read)
  function(file = NULL, ...) {
    if (is.null(file) || !identical(normalizePath(file, mustWork = FALSE), own)) return(read(file, ...))
    message("Ignored that the API reads itself: it is started here. Remove plumb(), pr() and run() of this file from it.")
    router <- plumber::Plumber$new()
    unlockBinding("run", router)
    router$run <- function(...) invisible(router)
    router
  }
}
read_api <- plumber::plumb
for (name in c("plumb", "pr")) assignInNamespace(name, ignore_own(getFromNamespace(name, "plumber")), ns = "plumber")
api <- if (is_file) read_api(entry) else read_api(dir = ".")
if (length(api$endpoints) == 0 && length(api$mounts) == 0) {
  message("This API has no endpoints: annotate functions with #* @get, or return a router with endpoints in entrypoint.R.")
}
api$run(host = "127.0.0.1", port = 8000, quiet = TRUE)
