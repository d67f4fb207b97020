import type { Environment } from './ground.ts'

/** The environment of this process: read here and passed down. */
export const environment: Environment = process.env
