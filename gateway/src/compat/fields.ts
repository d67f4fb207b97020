export type Fields = Record<string, unknown>

/** The older name of a field, and the one that the interface has. */
type Names = Readonly<Record<string, string>>

/** Under the names of the interface; what is there under both names has the newer one. */
export function renamed(body: Fields, names: Names): Fields {
  const rest = Object.entries(body).filter(([name]) => !Object.hasOwn(names, name))
  const found = Object.entries(names).flatMap(([old, name]) => (body[old] === undefined || body[name] !== undefined ? [] : [[name, body[old]]]))
  return Object.fromEntries([...rest, ...found])
}

/** Skills came as objects with a name. */
export const skillNames = (skills: unknown): unknown =>
  Array.isArray(skills)
    ? skills.map(skill => (typeof skill === 'object' && skill !== null ? ((skill as Fields).name ?? (skill as Fields).skillName) : skill))
    : skills

export const entriesOf = (answer: Fields, name: string): readonly unknown[] => (Array.isArray(answer[name]) ? answer[name] : [])
