/** The bus was closed in order, so that nothing is published or handled any more: part of an end, not a fault. */
export class BusClosedError extends Error {
  constructor() {
    super('The bus is closed')
  }
}
