import type { Parts } from './parts.ts'

/** Addresses of contracts are shown in answers. */
export const started = ({ networks }: Parts): Promise<void> => networks.readAhead()
