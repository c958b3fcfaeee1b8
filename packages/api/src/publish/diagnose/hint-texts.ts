// Remedies for failures found in output: texts without their values, so that front ends can translate them.

export const HINT_TEXTS = {
  memory: 'It exceeded its memory limit: load less data at once, or ask for a higher limit.',
  timeout: 'It exceeded its time limit: do slow work before publishing, or ask for a higher limit.',
  port: 'A program must listen on 127.0.0.1 and the port in PORT before its startup timeout ends.',
  ownServer:
    'The application starts a server of its own while it is loaded: do that only below if __name__ == "__main__".',
  crashed: 'It probably ran out of memory, or crashed in native code.',
  ended: 'It ended by itself: an application must go on running. Remove calls such as exit() or quit().',
  killed: 'Its process was killed from outside, or crashed in native code.',
  repository: "Ask for {0} to be added to the server's repository, or publish with a version that it has.",
  repositoryAway:
    'The server needs {0} to install packages: ask an administrator to check why it cannot be used.',
  requiresR: 'Publish with a version of {0} that supports R {1}, which the server has.',
  addToManifest: 'Add {0} to the manifest.',
  notInIndex: "The server's package index has nothing that satisfies {0}.",
  requiresPython:
    'The Python version of the server differs from yours: choose a version of the package that supports it.',
  conflict: 'requirements.txt requires conflicting versions.',
  requirement: 'A line of requirements.txt is not a valid requirement, such as name==1.0.',
  inBundle: 'Is {0} in the bundle?',
  localPath:
    'The server has no {0}: write name==version instead of a path of your machine. "pip list --format=freeze" does.',
  systemLibrary: 'The package requires a system library that the server lacks: ask for it to be installed.',
  buildTool:
    'The package is built on the server, which lacks {0}: ask for the build tools to be installed, such as r-base-dev.',
  install: 'A package of the content does not install.',
  noBuild:
    "The package has no wheel for the server's Python, and cannot be built there: list a newer version of it, or ask for a version of Python that it supports.",
  entryPoint: 'The entry point must name a module of the bundle and the application in it, such as app:app.',
  noModule:
    'requirements.txt must list the package that has {0}. If {0} is a file of yours, the bundle must contain it.',
  noName:
    'The installed version of {0} has no {1}: list versions of packages that fit together in requirements.txt.',
  hidden: 'The file {0}.py of the content hides the package {0}: rename it.',
  missingFile: 'Is {0} in the bundle, and is its path relative to the bundle?',
  missingFileUnnamed: 'Is the file in the bundle, and is its path relative to the bundle?',
  variable:
    'The content has no environment variable {0}: set it in the settings of the content, then publish again.',
  pythonEncoding: 'Python cannot read the code: save the file as UTF-8.',
  backslash: 'Write / in paths: a backslash begins an escape. Paths are relative to the bundle.',
  pythonSyntax: 'Python cannot read the code.',
  notebook: 'The notebook is damaged: open it in Jupyter and save it again.',
  kernel: 'This server runs notebooks with a Python kernel only.',
  kernelDied: 'The kernel died: it probably ran out of memory, or crashed in native code.',
  input: 'Nobody can answer input() on the server: use a parameter or a variable.',
  cellTimeout: 'A cell exceeded its time limit.',
  noRPackage:
    'The manifest must list {0}: install it where you publish from, run renv::snapshot() unless you publish with rsconnect, then publish again.',
  installPackages:
    'Remove install.packages(): the server installs what the manifest lists. Install the packages where you publish from, run renv::snapshot() unless you publish with rsconnect, then publish again.',
  newerRPackage: 'A newer version of {0} is required: update it where you publish from, then publish again.',
  rEncoding: 'R cannot read the code: save the file as UTF-8, without a byte order mark.',
  latex:
    'The output says what LaTeX lacks; where it is LaTeX itself, render to HTML or Word, or ask for TeX to be installed on the server.',
  frontMatter:
    'The YAML, such as the front matter, cannot be read: put a value that contains a colon in quotes.',
  setwd: 'Remove setwd(): the server has no directories of your machine. Paths are relative to the bundle.',
  shinyApp: 'app.R must end with shinyApp(ui, server).',
  noNodePackage: 'package.json must list {0} in its dependencies: run "npm install {0}", then publish again.',
  recursion: 'Something calls itself without end: a function, or a file that reads itself with source().',
  rSyntax: 'R cannot read the code.',
  otherVersion: 'It was created with {0} {1} but runs on {2}: publish with a version that the server has.',
  noVersion: 'The server has no {0} {1}: publish with a version that it has.',
} as const;
