/** When the pure rules are asked in tests. */
export const now = new Date('2026-01-10T00:00:00.000Z')
export const ago = (ms: number) => new Date(now.getTime() - ms)
