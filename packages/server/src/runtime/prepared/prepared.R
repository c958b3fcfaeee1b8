# Loads the packages of R content, runs none of its code, and forks a process for each order:
# prepared.R CHANNEL SCRIPT PACKAGES SKIPPED, described in prepared.py.
local({
  given <- commandArgs(TRUE)
  channel <- given[[1]]
  script <- given[[2]]
  framework <- strsplit(given[[3]], ",", fixed = TRUE)[[1]]
  skipped <- if (length(given) > 3) strsplit(given[[4]], ",", fixed = TRUE)[[1]] else character()

  # Packages with devices, other runtimes or threads: each process loads them itself.
  unsafe <- c("arrow", "rJava", "reticulate", "torch", "tensorflow", "keras", "keras3", "gpuR", "OpenCL", "h2o", "sparklyr",
    "JuliaCall", "V8", "duckdb", "rgl", "tcltk")
  # Has a timer for interactive sessions only, and closes it and its pipes after a fork (pthread_atfork).
  safe_threads <- c(later = 1L)
  safe_pipes <- c(later = 4L)
  max_files <- 200L

  say <- function(...) cat("@prepared ", ..., "\n", sep = "")

  descriptors <- function() {
    links <- vapply(list.files("/proc/self/fd", full.names = TRUE), Sys.readlink, "")
    links[as.integer(basename(names(links))) > 2]
  }
  connections <- function() sum(grepl("^(socket|pipe|anon_inode):", descriptors()))
  inherited <- connections()
  # Its own, and those of OpenBLAS, which ends them before a fork and starts them again on use (pthread_atfork).
  at_start <- length(list.files("/proc/self/task"))

  # Why a fork would be unsafe; NULL if it is safe.
  danger <- function() {
    loaded <- loadedNamespaces()
    known <- function(table) sum(table[names(table) %in% loaded])
    running <- length(list.files("/proc/self/task")) - at_start - known(safe_threads)
    if (running > 0) return(paste("runs", running, "threads"))
    if (connections() - inherited > known(safe_pipes)) return("has connections open")
    kept <- intersect(unsafe, loaded)
    if (length(kept) > 0) return(paste("uses", kept[[1]]))
    NULL
  }

  # Names of packages in code, which is parsed, not run.
  named_in <- function(code) {
    names <- character()
    walk <- function(part) {
      if (!is.call(part)) return()
      head <- part[[1]]
      if (is.name(head)) {
        word <- as.character(head)
        if (word %in% c("library", "require", "requireNamespace", "loadNamespace", "::", ":::") && length(part) > 1) {
          first <- part[[2]]
          if (is.name(first) || is.character(first)) names <<- c(names, as.character(first)[[1]])
        }
      }
      for (one in as.list(part)) if (!missing(one)) walk(one)
    }
    for (part in as.list(code)) walk(part)
    names
  }
  chunks <- function(lines) {
    inside <- cumsum(grepl("^\\s*```", lines)) %% 2 == 1
    lines[inside & !grepl("^\\s*```", lines)]
  }
  named_by_content <- function() {
    files <- list.files(".", pattern = "\\.(R|Rmd|qmd)$", recursive = TRUE, ignore.case = TRUE)
    found <- lapply(utils::head(files, max_files), function(file) tryCatch({
      lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
      if (!grepl("\\.R$", file, ignore.case = TRUE)) lines <- chunks(lines)
      named_in(parse(text = lines, keep.source = FALSE))
    }, error = function(e) character()))
    unique(unlist(found))
  }

  # Names of environment variables that packages read at load: those packages would not see the child's values.
  names_read <- character()
  replace_in_base <- function(name, value) {
    unlockBinding(name, baseenv())
    assign(name, value, envir = baseenv())
    lockBinding(name, baseenv())
  }
  getenv <- base::Sys.getenv
  replace_in_base("Sys.getenv", function(x = NULL, unset = "", names = NA) {
    names_read <<- c(names_read, if (is.null(x)) "*" else as.character(x))
    if (is.null(x)) getenv(names = names) else getenv(x, unset = unset, names = names)
  })
  for (package in unique(c(framework, named_by_content()))) {
    if (package %in% c(skipped, unsafe) || !grepl("^[A-Za-z][A-Za-z0-9.]*$", package)) next
    # Its process will report the error in its own log.
    tryCatch(suppressWarnings(suppressMessages(loadNamespace(package))), error = function(e) NULL)
    why <- danger()
    if (!is.null(why)) {
      say("unsafe ", package, " ", why)
      quit("no", status = 3)
    }
  }
  # Warms up what the first page of every application needs of the framework: otherwise each child has its own copy.
  if ("shiny" %in% loadedNamespaces()) tryCatch({
    page <- shiny::fluidPage(shiny::sliderInput("n", "n", 1, 2, 1), shiny::plotOutput("p"), shiny::textOutput("t"))
    invisible(as.character(page))
    rm(page)
  }, error = function(e) NULL)
  replace_in_base("Sys.getenv", getenv)
  names_read <- unique(names_read)
  say("reads ", paste(names_read[names_read == "*" | grepl("^[A-Za-z_][A-Za-z0-9_]*$", names_read)], collapse = " "))

  # Each child creates its own, if this one is gone.
  unlink(tempdir(), recursive = TRUE)
  invisible(loadNamespace("parallel"))
  for (i in 1:3) gc()

  orders <- file(file.path(channel, "orders"), "r", raw = TRUE)
  say("ready")
  repeat {
    order <- strsplit(readLines(orders, 1), " ", fixed = TRUE)[[1]]
    if (length(order) != 2 || order[[1]] != "fork") quit("no")
    # For lack of memory or processes: the server starts the process without this one.
    child <- tryCatch(parallel:::mcfork(TRUE), error = function(e) NULL)
    if (inherits(child, "masterProcess")) break
  }
  close(orders)
  pipe_of <- function(kind) file.path(channel, paste0(order[[2]], ".", kind))
  # `open` takes the lowest free number: the one just closed.
  parallel:::closeStdout(FALSE)
  out <- file(pipe_of("out"), "ab", raw = TRUE)
  parallel:::closeStderr(FALSE)
  err <- file(pipe_of("err"), "ab", raw = TRUE)
  end <- file(pipe_of("end"), "ab", raw = TRUE)
  tell <- function(...) {
    writeLines(paste0(...), end)
    flush(end)
  }
  tell("pid ", Sys.getpid())

  # Reports the exit status; "over" without a code before it is an error.
  base_quit <- base::quit
  telling_quit <- function(save = "default", status = 0, runLast = TRUE) {
    tryCatch(tell("code ", as.integer(status)), error = function(e) NULL)
    base_quit(save, status, runLast)
  }
  replace_in_base("quit", telling_quit)
  replace_in_base("q", telling_quit)
  kept <- new.env()
  kept$connections <- list(out, err, end)
  reg.finalizer(kept, function(e) tryCatch(tell("over"), error = function(e) NULL), onexit = TRUE)
  # Its output goes through connections of this process, and would end with them.
  own <- vapply(kept$connections, as.integer, 1L)
  replace_in_base("closeAllConnections", function() {
    while (sink.number() > 0) sink()
    for (i in setdiff(getAllConnections(), c(0:2, own))) close(getConnection(i))
    invisible()
  })

  input <- character()
  given <- file(pipe_of("in"), "r", raw = TRUE)
  while (!identical(line <- readLines(given, 1), "go")) input <- c(input, line)
  close(given)
  words <- function(kind) {
    own <- input[startsWith(input, paste0(kind, " "))]
    substring(own, nchar(kind) + 2L)
  }
  decoded <- function(text) vapply(text, utils::URLdecode, "", USE.NAMES = FALSE)
  pairs <- words("env")
  at <- regexpr("=", pairs, fixed = TRUE)
  do.call(Sys.setenv, stats::setNames(as.list(decoded(substring(pairs, at + 1L))), substring(pairs, 1L, at - 1L)))
  dir.create(getenv("TMPDIR"), mode = "0750", showWarnings = FALSE)
  Sys.setenv(R_SESSION_TMPDIR = tempdir(check = TRUE))

  # Packages with their own seeds set them at load: their tokens would be the same in every child.
  seeds <- readBin("/dev/urandom", "integer", n = 1L + length(loadedNamespaces()))
  seeds[is.na(seeds)] <- 0L
  set.seed(seeds[[1]])
  loaded <- loadedNamespaces()
  for (i in seq_along(loaded)) {
    private <- get0("withPrivateSeed", asNamespace(loaded[[i]]), inherits = FALSE)
    if (is.function(private)) private(set.seed(seeds[[i + 1L]]))
  }
  arguments <- decoded(words("arg"))
  replace_in_base("commandArgs", function(trailingOnly = FALSE) {
    c(if (!trailingOnly) c("R", "--no-echo", "--no-save", "--no-restore", paste0("--file=", script), "--args"), arguments)
  })
  # The whole file must have been read: children share its offset.
  for (file in c(if (file.exists(".Rprofile")) ".Rprofile", script)) {
    for (part in parse(file, keep.source = FALSE)) eval(part, globalenv())
  }
  quit("no", status = 0)
})
