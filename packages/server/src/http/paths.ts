// Paths of the server's own pages.

export const DASHBOARD_PREFIX = '/__dashboard__';
