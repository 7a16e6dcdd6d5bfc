/** The API profile that this service returns. A removal or a changed meaning makes a new one. */
export const API_PROFILE = '2026-04';
