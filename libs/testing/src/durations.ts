/** Seconds, as `advance` of a test platform expects them. */
export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
