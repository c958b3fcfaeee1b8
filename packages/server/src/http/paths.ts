// Prefixes of the server's own paths.

export const API_PREFIX = '/__api__';
export const DASHBOARD_PREFIX = '/__dashboard__';
