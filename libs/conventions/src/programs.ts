import path from 'node:path'

/**
 * Programs of packages that are not in the repository, one line each. npm links a program when it installs, which is before the build: one
 * that the compiler makes is never linked in a fresh clone.
 * @param manifests each `package.json` by its path from the root of the repository
 * @param files what the repository holds
 */
export function programFaults(manifests: Iterable<readonly [file: string, source: string]>, files: ReadonlySet<string>): string[] {
  const faults: string[] = []
  for (const [file, source] of manifests) {
    const { bin = {} } = JSON.parse(source) as { bin?: Record<string, string> }
    for (const [name, target] of Object.entries(bin))
      if (!files.has(path.posix.join(path.posix.dirname(file), target))) faults.push(`${file}: ${name} is ${target}, which is not in the repository`)
  }
  return faults
}
