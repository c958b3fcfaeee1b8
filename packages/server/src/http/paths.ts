// Where the parts of the server's own pages are.

export const DASHBOARD_PREFIX = '/__dashboard__';
