import type { ParamType, Result } from 'ethers'

/** A decoded ABI value as plain JSON: big integers as decimal text, structs as objects, arrays as arrays. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return [...value].map(plain)
  return value
}

/** Decoded values of declared parameters, by name (or place, for nameless ones). */
export function named(inputs: readonly ParamType[], values: Result | readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(inputs.map((input, index) => [input.name || String(index), byType(input, values[index])]))
}

function byType(type: ParamType, value: unknown): unknown {
  if (type.baseType === 'tuple') return named(type.components ?? [], value as Result)
  if (type.baseType === 'array') return [...(value as Result)].map(item => byType(type.arrayChildren!, item))
  return plain(value)
}
