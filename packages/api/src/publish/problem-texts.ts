// Why a directory or its record cannot be published: texts without their values, so that front ends can translate them.
import { HINT_TEXTS } from './diagnose/hint-texts.ts';

export const BUNDLE_TEXTS = {
  noDirectory: 'There is no directory {0}: check the path.',
  notDirectory: '{0} is not a directory: name the directory that holds the content.',
  unreadable: 'Cannot read {0} ({1}): give yourself permission to read it, or exclude it.',
  unreadableDirectory: 'Cannot read the directory ({0}): give yourself permission to read it, or exclude it.',
  unreadablePackage: 'Cannot read {0} ({1}): check its permissions.',
  tooLargeToRead: '{0} is larger than 10 MiB: it is not read.',
  longIgnoreFile: '{0} is larger than 1 MiB, too large to follow: shorten it, or delete it.',
  ignoreFileElsewhere:
    '{0} is no regular file, or a link out of the directory: put a copy in its place, or delete it.',
  nothing: 'There are no files to publish: check what is excluded.',
  tooMany:
    'There are more than {0} files: exclude what the content does not need in a .pressroomignore file.',
  tooLarge:
    'The files are bigger than {0} bytes together: exclude what the content does not need. The biggest so far: {1}.',
  longPath: '{0} is longer than {1} bytes: shorten it or exclude it.',
  tooDeep: '{0} lies more than {1} directories deep: move it up or exclude it.',
  sameButCase: '{0} and {1} differ only in case and would overwrite each other: rename or exclude one.',
  sameButUnicode:
    '{0} and {1} look the same, in other Unicode characters, and would overwrite each other: rename or exclude one.',
  listedTwice: '{0} is listed twice: list every file once.',
  unsafe: '{0} cannot go into a bundle: {1}.',
  outside: '{0} leads outside the directory: exclude it.',
  replaced: '{0} was replaced while it was read: publish again.',
  changed:
    '{0} changed while it was being packed: wait until nothing writes to it, or exclude it, and publish again.',
  deleted: '{0} was deleted while publishing: restore it, or publish again.',
  unknownType: 'The type of this content is unknown: choose one.',
  nothingKnown:
    'The type of this content is unknown. Choose one, or add a file such as index.html, app.R, report.Rmd or app.py.',
  noStart:
    'The type of this content is unknown. package.json has no start script that serves, such as "node server.js": the server runs "npm start".',
  noCommand: 'The type of this content is unknown. {0} has no command: write {1} in it.',
  foreign: '{0} is a {1} application, which this version cannot publish. It publishes: {2}.',
  interactiveQuarto:
    '{0} is an interactive Quarto document (server: shiny), which this version cannot publish. It publishes: {1}.',
  otherStart:
    'The type of this content is unknown. {0} imports {1}, but never calls {2}, which shows a page to visitors. The server starts the application: show() and serve() are not needed.',
  noApplication:
    'The type of this content is unknown. {0} does not make an application of a known framework ({1}). Choose a type and an entry point, such as app:app, or app:make() for a function that makes it.',
  noApplications:
    'The type of this content is unknown. None of {0} makes an application of a known framework ({1}). Choose a type and an entry point, such as app:app, or app:make() for a function that makes it.',
  damagedNotebook:
    '{0} is no Jupyter notebook that can be read: it is empty or damaged. Open it in Jupyter and save it again.',
  otherKernel:
    '{0} has a kernel for {1}, and servers run only notebooks with Python. Publish it as a page, written with "{2}", or convert it with "{3}".',
  otherShinyFile:
    'The type of this content is unknown. {0} uses shiny, which starts app.R, or ui.R and server.R: rename it.',
  noRoutes:
    'The type of this content is unknown. {0} has no annotation of Plumber, such as "#* @get /path", and makes no router.',
  below:
    'There is nothing to publish at the top of the directory. Publish the directory {0} instead, which has {1}.',
  belowOrEntryPoint:
    'There is nothing to publish at the top of the directory. Publish the directory {0} instead, which has {1}, or choose a type and the entry point {2}.',
  notPublishable: '{0} is not a type of content that can be published. Choose one of: {1}.',
  noMainFile:
    'The main file is unknown: no file here looks like the start of content of type {0} ({1}). Name it as the entry point.',
  shinyMainFile:
    'Shiny starts app.R, or ui.R and server.R, at the top of the directory: rename {0}, or choose another type.',
  noEntryPoint: 'The entry point {0} is not there: it would be in {1} or {2}. Restore it, or choose another.',
  mainFileBelow: 'The main file {0} is not at the top of the directory: publish the directory {1} instead.',
  mainFileMissing: 'The main file {0} is not at the top of the directory: restore it, or choose another.',
  noRequirements:
    'There is no requirements.txt. List the packages in it, one per line (it may be empty), for example with "{0}".',
  noPythonVersion: 'The Python version is unknown. Write it, such as 3.11, to a .python-version file.',
  noVersionPrinted: '{0} --version printed no version: install it, or set the version yourself.',
  manifest: 'manifest.json cannot be used: {0}. Correct it, or delete it to have a new one written.',
  manifestUnsafe: 'manifest.json lists {0}, which cannot go into a bundle: {1}.',
  manifestOutside: 'manifest.json lists files in {0}, a link that leads outside the directory: copy them in.',
  manifestMissing:
    'manifest.json names files that are not there: {0}. Restore them, or update the manifest (or delete it to have a new one written).',
  lockfile: 'renv.lock cannot be used: {0}. Run renv::snapshot() to write it again.',
  notRendered: 'There is no {0}: render {1} to it first, or let the server render it.',
  siteNotRendered:
    'There is no directory that this site was rendered to, such as _site with an index.html: render it first, or let the server render it.',
  noDocument: 'Nothing here is a document that is rendered to a page: publish it without --rendering.',
} as const;

export const PATH_TEXTS = {
  empty: 'the path is empty',
  nul: 'the name contains a NUL character',
  backslash: 'the name contains a backslash; rename it',
  encoding: 'the name is not valid UTF-8; rename it',
  control: 'the name contains a control character or an invisible one; rename it',
  absolute: 'the path is absolute',
  drive: 'the path begins with a drive letter, such as C:; rename it',
  longName: 'the name is longer than 255 bytes; rename it',
  parts: 'the path has an empty, "." or ".." part',
} as const;

export const RECORD_TEXTS = {
  unusable: 'The deployment record {0} cannot be used: {1}.',
  link: 'its directory is a link',
  notDirectory: 'it is not a directory of its own',
  conflicts: 'it has merge conflicts',
  notToml: 'it is not valid TOML',
  later: 'a later version of pressroom wrote it',
  field: 'its {0} is not valid',
  unreadable: 'it cannot be read',
  tooLarge: 'it is too large or no file',
} as const;

export const RECORD_HINTS = {
  restore: 'Restore the file from version control, or delete it to publish as new content.',
  resolve: 'Resolve them in the file. Any bundle_id and deployed_time will do: the next publish writes both.',
  update: 'Update pressroom where this file is read, or delete it to publish as new content.',
} as const;

/** All texts above, and remedies for failed deploys. */
export const PROBLEM_TEXTS: readonly string[] = [
  ...Object.values(BUNDLE_TEXTS),
  ...Object.values(PATH_TEXTS),
  ...Object.values(RECORD_TEXTS),
  ...Object.values(RECORD_HINTS),
  ...Object.values(HINT_TEXTS),
];
