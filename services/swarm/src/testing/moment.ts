/** The present moment of the pure rules in tests. */
export const now = new Date('2026-01-10T00:00:00.000Z')
export const ago = (ms: number) => new Date(now.getTime() - ms)
