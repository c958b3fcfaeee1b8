# Runs a Plumber API on a unix socket: launch-plumber.R SOCKET [FILE]
arguments <- commandArgs(TRUE)
socket <- arguments[[1]]

# Plumber sets up its documentation only in run(), which listens on a port: it is given a server that listens on the socket.
assignInNamespace("runServer", ns = "httpuv", function(host, port, app, ...) {
  server <- httpuv::startPipeServer(socket, mask = 7L, app)
  on.exit(httpuv::stopServer(server))
  httpuv::service(0)
})

api <- if (length(arguments) > 1) plumber::plumb(arguments[[2]]) else plumber::plumb(dir = ".")
api$run(host = "127.0.0.1", port = 8000, quiet = TRUE)
