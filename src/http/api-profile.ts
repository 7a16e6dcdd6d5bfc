/** The API profile that this service returns. Removing a field or changing its meaning requires a new profile. */
export const API_PROFILE = '2026-04';
