import path from 'node:path'

/** What puts a service together and starts it, and nothing else. */
const assembly = new Set(['main.ts', 'index.ts', 'parts.ts'])
const mostLines = 40
const service = /^services\/([^/]+)\/src\/[^/]+$/

/**
 * Services that need more than 40 lines of code to be put together, one line each. What a second service would write too belongs to libs/service;
 * what one folder stores is opened in that folder.
 * @param sources files by their path from the root of the repository
 */
export function boilerplateFaults(sources: Iterable<readonly [file: string, source: string]>): string[] {
  const lines = new Map<string, number>()
  for (const [file, source] of sources) {
    const name = service.exec(file)?.[1]
    if (name && assembly.has(path.posix.basename(file))) lines.set(name, (lines.get(name) ?? 0) + linesOfCode(source))
  }
  return [...lines]
    .filter(([, count]) => count > mostLines)
    .map(([name, count]) => `services/${name} is put together in ${count} lines, ${mostLines} at most`)
}

/** Neither blank nor comment. */
const linesOfCode = (source: string): number => source.split('\n').filter(line => !/^\s*($|\/\/|\/?\*)/.test(line)).length
