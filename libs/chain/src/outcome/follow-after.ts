/** A block mostly follows a transaction soon: then both are one write. */
const submittedMs = 1_000

/**
 * How long an outcome may wait for the next one of its record, ms; undefined: no longer than others of its moment.
 * @example await change(id, record => follow(record, outcome), followAfterMs(outcome))
 */
export const followAfterMs = ({ is }: { is: string }): number | undefined => (is === 'submitted' ? submittedMs : undefined)
