import { EventFragment, FunctionFragment, isHexString, type ParamType, type Result, toUtf8String, Utf8ErrorFuncs } from 'ethers'

/** A decoded ABI value as plain JSON: big integers as decimal text, structs as objects, arrays as arrays. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return [...value].map(plain)
  return value
}

const rawForms = new WeakMap<EventFragment | FunctionFragment, EventFragment | FunctionFragment>()

/**
 * The form by which values are decoded for `named`: each text as its bytes. A contract accepts any bytes as text, from anybody, and ethers throws where
 * they are no UTF-8.
 */
export function rawForm<Fragment extends EventFragment | FunctionFragment>(fragment: Fragment): Fragment {
  const cached = rawForms.get(fragment)
  if (cached) return cached as Fragment
  const form = fragment.format('full').replace(/\bstring\b/g, 'bytes')
  const made = fragment.type === 'event' ? EventFragment.from(form) : FunctionFragment.from(form)
  rawForms.set(fragment, made)
  return made as Fragment
}

/** Values that were decoded by the raw form, by name (or place, for nameless ones). In text, what is no UTF-8 is replaced. */
export function named(inputs: readonly ParamType[], values: Result | readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(inputs.map((input, index) => [input.name || String(index), byType(input, values[index])]))
}

function byType(type: ParamType, value: unknown): unknown {
  if (type.baseType === 'tuple') return named(type.components ?? [], value as Result)
  if (type.baseType === 'array') return [...(value as Result)].map(item => byType(type.arrayChildren!, item))
  // of an indexed text there is a hash only
  if (type.baseType === 'string' && isHexString(value)) return toUtf8String(value, Utf8ErrorFuncs.replace)
  return plain(value)
}
