import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { processVariables } from '../config.ts'

const execute = promisify(execFile)
const run = async (program: string, args: readonly string[], cwd?: string): Promise<string> =>
  (await execute(program, args, { maxBuffer: 64 << 20, env: processVariables, ...(cwd ? { cwd } : {}) })).stdout

/** A command that prints what an overlay renders to; the overlay's folder is added. */
export type Render = readonly [program: string, ...args: string[]]

const cached = path.join(tmpdir(), 'carapace-kustomize')
const unpacked = path.join(cached, 'usr/bin/kustomize')

/**
 * How this machine renders overlays: kubectl, kustomize, or on Debian, as root, kustomize from Debian's packages, unpacked into a folder of its own.
 * @throws Error that names all of these ways
 */
export async function findKustomize(): Promise<Render> {
  if (await isRecent('kubectl', ['version', '--client', '-o', 'json'])) return ['kubectl', 'kustomize']
  if (await isRecent('kustomize', ['version'])) return ['kustomize', 'build']
  if (existsSync(unpacked)) return [unpacked, 'build']
  try {
    await unpack()
    return [unpacked, 'build']
  } catch (error) {
    throw new Error('overlays are rendered by kubectl (1.27 or later), by kustomize (5 or later), or on Debian, as root, by the package kustomize', {
      cause: error,
    })
  }
}

/** Components and the patches of ours need version 5. */
const isRecent = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    text => Number(/(?:kustomizeVersion": "|^)v?(\d+)\./m.exec(text)?.[1] ?? 0) >= 5,
    () => false,
  )

/** Debian 12 has no kustomize; that of Debian 13 needs nothing but the kernel. */
async function unpack(): Promise<void> {
  const own = `${cached}.${process.pid}`
  await mkdir(path.join(own, 'lists/partial'), { recursive: true })
  try {
    const sources = await readFile('/etc/apt/sources.list.d/debian.sources', 'utf8').catch(() => '')
    const mirror = /^URIs:\s*(\S+)/m.exec(sources)?.[1] ?? 'http://deb.debian.org/debian'
    await writeFile(path.join(own, 'sources.list'), `deb ${mirror} trixie main\n`)
    const places = { 'Etc::sourcelist': 'sources.list', 'Etc::sourceparts': 'none', 'State::lists': 'lists', Cache: 'cache' }
    // this machine's own lists and packages stay as they are
    const options = Object.entries(places).flatMap(([name, place]) => ['-o', `Dir::${name}=${path.join(own, place)}`])
    await run('apt-get', [...options, '-qq', 'update'])
    await run('apt-get', [...options, '-qq', '-o', 'APT::Sandbox::User=root', 'download', 'kustomize'], own)
    const [archive] = (await readdir(own)).filter(name => name.endsWith('.deb'))
    await run('dpkg-deb', ['-x', archive!, 'unpacked'], own)
    await rename(path.join(own, 'unpacked'), cached).catch(() => undefined)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** What an overlay renders to, as text. @throws Error with what kustomize says */
export const render = async ([program, ...args]: Render, folder: string): Promise<string> => run(program, [...args, folder])
