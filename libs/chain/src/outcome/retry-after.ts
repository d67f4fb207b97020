const delaysMin = [1, 2, 5, 10, 15]

/**
 * When a command that failed goes out again as its next round: 1, 2, 5, 10, then each 15 minutes later.
 * @param round the one that failed, from 1
 */
export const retryAfter = (round: number, now: Date): Date => new Date(now.getTime() + (delaysMin[round - 1] ?? delaysMin.at(-1)!) * 60_000)
