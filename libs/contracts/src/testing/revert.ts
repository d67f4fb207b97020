import { Interface, type Result } from 'ethers'

/** A call that the chain refused: the name of the custom error, or the text of `Error(string)`. */
export class Reverted extends Error {
  readonly reason: string
  readonly args: Result | readonly unknown[]

  constructor(reason: string, args: Result | readonly unknown[]) {
    super(`reverted with ${reason}(${args.map(String).join(', ')})`)
    this.reason = reason
    this.args = args
  }
}

const standard = new Interface(['error Error(string)', 'error Panic(uint256)'])

/** The refusal in a node's error, decoded by the first ABI that knows it; other errors as they are. */
export function revertedWith(error: unknown, interfaces: readonly Interface[]): unknown {
  const data = (error as { data?: unknown }).data
  if (typeof data !== 'string') return error
  for (const face of [standard, ...interfaces]) {
    const parsed = face.parseError(data)
    if (parsed?.name === 'Error') return new Reverted(parsed.args[0], [])
    if (parsed) return new Reverted(parsed.name, parsed.args)
  }
  return new Reverted(data, [])
}
