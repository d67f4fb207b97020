/** Where time comes from. Tests and the sandbox move it; domain code gets `now` as an argument. */
export interface Clock {
  now(): Date
}

export const wallClock: Clock = { now: () => new Date() }
