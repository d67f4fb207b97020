/** A block mostly follows a transaction soon: then both are one write. */
const submittedMs = 1_000

/**
 * How long an outcome may wait to be written with the next one of its record, ms; undefined: it is written now. Only a submission may: what
 * follows it says it again, and a poll finds that if its message is lost.
 * @example await change(id, record => follow(record, outcome), followAfterMs(outcome))
 */
export const followAfterMs = ({ is }: { is: string }): number | undefined => (is === 'submitted' ? submittedMs : undefined)
