// Conditions under which menus offer a command.

/** A file of a workspace, wherever it is, and not an earlier version of one. */
export const FILE = 'isFileSystemResource && resourceScheme != git';
/** Files that content starts from; known without running anything of ours. */
export const CONTENT = 'resourceExtname =~ /^\\.(r|rmd|py|ipynb|html?)$/i';
/** A node of the tree of deployments; a pattern of its context value follows. */
export const NODE = 'view == pressroom.deployments && viewItem =~';
