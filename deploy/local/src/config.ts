import type { Variables } from './environment.ts'

/** The environment variables of this process: read here and passed down. */
export const processVariables: Variables = process.env
