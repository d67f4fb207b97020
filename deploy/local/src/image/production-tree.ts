import { cp, mkdir, readFile, realpath, symlink } from 'node:fs/promises'
import path from 'node:path'

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Of our own packages: what only builds, tests or measures. */
const ourTools = new Set(['src', 'forge', 'solidity', 'bench', 'test', 'testing', 'torture', 'node_modules', 'README.md'])
const ourToolFiles = /\.(test|fixture|crash|bench|torture)\.|\.d\.ts$|\.tsbuildinfo$|^tsconfig.*\.json$/
/** Of other packages: what no running program reads. */
const unread = /\.(map|md|markdown|flow|tsbuildinfo)$|\.d\.[cm]?ts$/

/**
 * Copies a workspace and every package that it needs to run, from an installed and built repository, to the same places under `target`. What is needed
 * for development only is not reached from there, and so is not copied.
 * @returns folders of the packages, from the root of the repository
 * @throws Error that names a dependency that is not installed
 */
export async function copyProductionTree(root: string, workspace: string, target: string): Promise<string[]> {
  const folders = await neededBy(root, path.resolve(root, workspace))
  await cp(path.join(root, 'package.json'), path.join(target, 'package.json'))
  for (const folder of folders) await copyPackage(root, folder, target)
  return folders.map(folder => path.relative(root, folder))
}

/** The package itself and all that it reaches; links to workspaces are followed. */
async function neededBy(root: string, start: string): Promise<string[]> {
  const found = new Set<string>([start])
  for (const folder of found) {
    const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest
    for (const { name, isNeeded } of dependenciesOf(manifest)) {
      const place = await installed(root, folder, name)
      if (place) found.add(place)
      else if (isNeeded) throw new Error(`${path.relative(root, folder)} needs ${name}, which is not installed`)
    }
  }
  return [...found]
}

function dependenciesOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest) {
  const needed = Object.keys(dependencies).filter(name => !Object.hasOwn(optionalDependencies, name))
  const peers = Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional)
  return [
    ...needed.map(name => ({ name, isNeeded: true })),
    ...[...Object.keys(optionalDependencies), ...peers].map(name => ({ name, isNeeded: false })),
  ]
}

/** Where node finds the package: next to the one that imports it, or in a folder above. */
async function installed(root: string, from: string, name: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined)
    if (place || folder === root) return place
  }
}

const isWorkspace = (place: string): boolean => !place.split(path.sep).includes('node_modules')

async function copyPackage(root: string, folder: string, target: string): Promise<void> {
  const place = path.relative(root, folder)
  const ours = isWorkspace(place)
  const filter = (source: string): boolean => {
    const within = path.relative(folder, source).split(path.sep)
    const name = within.at(-1)!
    if (ours) return !within.some(part => ourTools.has(part)) && !ourToolFiles.test(name)
    return within[0] !== 'node_modules' && !unread.test(name)
  }
  await cp(folder, path.join(target, place), { recursive: true, filter })
  if (!ours) return
  const { name } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { name: string }
  const link = path.join(target, 'node_modules', name)
  await mkdir(path.dirname(link), { recursive: true })
  await symlink(path.relative(path.dirname(link), path.join(target, place)), link)
}
