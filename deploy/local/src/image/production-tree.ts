import { cp, mkdir, readdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
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
const unread = /\.(map|md|markdown|flow|tsbuildinfo|[cm]?ts)$/
/** Folders of other packages that no program of ours reads: the weights and the slants of the font that pictures are not drawn with. */
const unreadFolders: Readonly<Record<string, RegExp>> = { '@expo-google-fonts/inter': /^(?!400Regular$|700Bold$)\d{3}[A-Z]/ }

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
    if (place || folder === path.resolve(root)) return place
  }
}

const isWorkspace = (place: string): boolean => !place.split(path.sep).includes('node_modules')

/** Whether a file or folder of a package is needed to run it. */
function filterOf(root: string, folder: string): (source: string) => boolean {
  const place = path.relative(root, folder)
  const skipped = unreadFolders[place.replace(/^.*node_modules\//, '')]
  return source => {
    const within = path.relative(folder, source).split(path.sep)
    const name = within.at(-1)!
    if (isWorkspace(place)) return !within.some(part => ourTools.has(part)) && !ourToolFiles.test(name)
    return within[0] !== 'node_modules' && !unread.test(name) && !skipped?.test(within[0]!)
  }
}

/** The place that a file has on a disk. */
const blockBytes = 4_096

/**
 * What `copyProductionTree` would put on a disk, bytes.
 * @param counted sizes of packages, for several programs that share some
 */
export async function productionBytes(root: string, workspace: string, counted: Map<string, Promise<number>>): Promise<number> {
  const folders = await neededBy(root, path.resolve(root, workspace))
  const sizes = folders.map(folder => counted.get(folder) ?? counted.set(folder, bytesUnder(folder, filterOf(root, folder))).get(folder)!)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function bytesUnder(folder: string, isNeeded: (source: string) => boolean): Promise<number> {
  let sum = blockBytes
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const source = path.join(folder, entry.name)
    if (!isNeeded(source)) continue
    if (entry.isDirectory()) sum += await bytesUnder(source, isNeeded)
    else sum += Math.ceil((await stat(source)).size / blockBytes) * blockBytes
  }
  return sum
}

async function copyPackage(root: string, folder: string, target: string): Promise<void> {
  const place = path.relative(root, folder)
  await cp(folder, path.join(target, place), { recursive: true, filter: filterOf(root, folder) })
  if (!isWorkspace(place)) return
  const { name } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { name: string }
  const link = path.join(target, 'node_modules', name)
  await mkdir(path.dirname(link), { recursive: true })
  await symlink(path.relative(path.dirname(link), path.join(target, place)), link)
}
