import type { EventDef, PayloadOf } from '@carapace/api'
import { doctorChecks, until } from '@carapace/testing'
import type { Harness } from './harness.ts'

/** What the doctor finds wrong. */
export async function faultsOf({ platform }: Harness): Promise<string[]> {
  return (await doctorChecks(platform, 'social')).flatMap(({ detail }) => detail)
}

/** Published events of one type about one aggregate: waits for the first. */
export async function eventsOf<E extends EventDef>({ published }: Harness, definition: E, subject: string): Promise<PayloadOf<E>[]> {
  const found = () => published.filter(event => event.type === definition.type && event.subject === subject)
  await until(`${definition.name} is published`, () => found().length > 0)
  return found().map(({ data }) => definition.read(data) as PayloadOf<E>)
}
