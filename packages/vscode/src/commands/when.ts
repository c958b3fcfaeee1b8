// Conditions for offering commands in menus.

/** A file of a workspace on any file system, and not an earlier version. */
export const FILE = 'isFileSystemResource && resourceScheme != git';
/** Possible entry points; evaluated without running the extension. */
export const CONTENT = 'resourceExtname =~ /^\\.(r|rmd|qmd|py|ipynb|html?)$/i';
/** A node of the Deployments tree; a pattern for its context value follows. */
export const NODE = 'view == pressroom.deployments && viewItem =~';
/** A published directory, or one of its targets. */
export const PUBLISHED_NODE = `${NODE} /^(directory\\.published|content)/`;
/** Like it, except what is known to have no processes, or not to be rendered. */
export const APPLICATION_NODE = `${NODE} /^(directory\\.published|content)(?!.*\\.(document|files)\\b)/`;
export const DOCUMENT_NODE = `${NODE} /^(directory\\.published|content)(?!.*\\.(application|files)\\b)/`;
export const FOLDER_OPEN = 'workspaceFolderCount > 0';
