/** How long a command may work before it lets others work, in milliseconds. */
export const sliceMs = 25

/** Thrown by the step of a write that has worked long enough. `work` is done outside of the commit, then the step is called again and continues. */
export class Pause extends Error {
  readonly work: () => Promise<void>

  constructor(work: () => Promise<void> = giveWay) {
    super('others first')
    this.work = work
  }
}

/** Resolves when the event loop has served what was waiting. */
export function giveWay(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
