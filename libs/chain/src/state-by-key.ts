import { operationParts } from './command.ts'

/**
 * What is known of the records that operation keys name first, by key; keys whose record is not among `states` are left out.
 * @example await stateByKey(['escrow.settle:0190…'], async ids => [['0190…', 'releasing']]) // Map { 'escrow.settle:0190…' => 'releasing' }
 */
export async function stateByKey(
  keys: readonly string[],
  statesOf: (ids: string[]) => Promise<Iterable<readonly [id: string, state: string]>>,
): Promise<Map<string, string>> {
  const named = keys.map(key => ({ key, id: operationParts(key)[1] }))
  const states = new Map(await statesOf(named.map(({ id }) => id)))
  return new Map(named.flatMap(({ key, id }) => (states.has(id) ? [[key, states.get(id)!] as const] : [])))
}
