import type { QueueSpec } from '../bus.ts'

/** What publisher, consumer and conductor of the torture run agree on. `data.n` counts the events from 0. */
export const eventType = 'torture.thing.happened.v1'

export const queue: QueueSpec = { name: 'carapace.torture', exchange: 'events', bindings: [eventType], prefetch: 200 }

export interface WorkerArguments {
  url: string
  prefix: string
  /** Where publishers and consumers save what must outlive them. */
  folder: string
  /** Events to be published in all. */
  total: number
}

export const toArgv = ({ url, prefix, folder, total }: WorkerArguments): string[] => [url, prefix, folder, String(total)]

export function fromArgv([url = '', prefix = '', folder = '', total = '0']: readonly string[]): WorkerArguments {
  return { url, prefix, folder, total: Number(total) }
}
