// Conditions for offering commands in menus.

/** A file of a workspace on any file system, and not an earlier version. */
export const FILE = 'isFileSystemResource && resourceScheme != git';
/** Possible entry points; evaluated without running the extension. */
export const CONTENT = 'resourceExtname =~ /^\\.(r|rmd|qmd|py|ipynb|html?)$/i';
/** A node of the Deployments tree; a pattern for its context value follows. */
export const NODE = 'view == pressroom.deployments && viewItem =~';
/** A published directory, or one of its targets. */
export const PUBLISHED_NODE = `${NODE} /^(directory\\.published|content)/`;
export const FOLDER_OPEN = 'workspaceFolderCount > 0';
