/** The API profile that this service returns. A removal or a changed meaning makes a new one. */
export const API_VERSION = '2026-04';
