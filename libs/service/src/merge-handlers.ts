type Group = (parts: never) => object
type PartsOfAll<Groups> = [Groups] extends [(parts: infer Parts) => object] ? Parts : never
type AllOf<Groups> = (Groups extends (parts: never) => infer Made ? (made: Made) => void : never) extends (all: infer All) => void ? All : never

/**
 * Puts groups of handlers together, for `http` of `defineService`.
 * @throws Error when two groups have a handler of one name
 * @example http: mergeHandlers(gigHandlers, crewHandlers, doctorHandlers)
 */
export const mergeHandlers =
  <Groups extends readonly Group[]>(...groups: Groups) =>
  (parts: PartsOfAll<Groups[number]>): AllOf<Groups[number]> => {
    const made = groups.flatMap(group => Object.entries(group(parts as never)))
    const names = made.map(([name]) => name)
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) throw new Error(`two handlers are named ${twice.join(', ')}`)
    return Object.fromEntries(made) as AllOf<Groups[number]>
  }
