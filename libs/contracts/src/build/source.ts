import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { packageRoot } from './layout.ts'

const require = createRequire(import.meta.url)

/** Text of a source as the compiler names it: own files by path, packages by package path. */
export function readSource(name: string, read: Record<string, string> = {}): string {
  const content = readFileSync(name.startsWith('solidity/') ? new URL(name, packageRoot) : require.resolve(name), 'utf8')
  read[name] = content
  return content
}
