import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import getPort from 'get-port'
import { Pool } from 'pg'
import { cpuOf } from './child.ts'
import type { Contestant } from './contestant.ts'
import { documentCount, item, pick } from './operations.ts'

const distributionFolder = '/usr/lib/postgresql'
const readyMs = 20_000

const schema = `
  create table items (id int primary key, email text not null, grp int, n int, status text, tags jsonb, note text, hits int);
  create unique index on items (email);
  create index on items (grp);
  create index on items (n);
  create table inserted (like items including all);
  create table log (id bigint generated always as identity primary key, origin int, target int)`

const insertInto = (table: string) => `insert into ${table} values ($1, $2, $3, $4, $5, $6, $7, $8)`

/** The bench's operations in SQL; each statement is prepared once per connection. */
const operations: Readonly<Record<string, (pool: Pool, i: number) => Promise<unknown>>> = {
  insertOne: (pool, i) => pool.query({ name: 'insert', text: insertInto('inserted'), values: row(documentCount + i) }),
  'findOne _id': (pool, i) => pool.query({ name: 'id', text: 'select * from items where id = $1', values: [pick(i)] }),
  'findOne unique index': (pool, i) =>
    pool.query({ name: 'email', text: 'select * from items where email = $1', values: [`user${pick(i)}@example.org`] }),
  'findOne secondary index': (pool, i) => pool.query({ name: 'grp', text: 'select * from items where grp = $1 limit 1', values: [pick(i) % 500] }),
  'range + sort + limit 20': (pool, i) =>
    pool.query({ name: 'range', text: 'select * from items where n >= $1 order by n limit 20', values: [pick(i)] }),
  'updateOne _id': (pool, i) =>
    pool.query({ name: 'update', text: `update items set hits = hits + 1, status = 'held' where id = $1`, values: [pick(i)] }),
  findOneAndUpdate: (pool, i) =>
    pool.query({ name: 'change', text: 'update items set hits = hits + 1 where id = $1 returning *', values: [pick(i)] }),
  'transaction (2 updates + insert)': transaction,
  '$match 1,000 + $group': pool => pool.query({ name: 'group', text: 'select status, sum(n), count(*) from items where grp < 100 group by status' }),
}

async function transaction(pool: Pool, i: number): Promise<void> {
  const pair = [pick(2 * i), pick(2 * i + 1)]
  const client = await pool.connect()
  try {
    await client.query('begin')
    // In one order, or two of them would wait for each other; MongoDB's driver tries again instead.
    for (const id of pair.sort((a, b) => a - b))
      await client.query({ name: 'hit', text: 'update items set hits = hits + 1 where id = $1', values: [id] })
    await client.query({ name: 'log', text: 'insert into log (origin, target) values ($1, $2)', values: pair })
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** Starts a PostgreSQL of its own on loopback, in a folder of its own; undefined when none is installed. */
export async function startPostgres(): Promise<Contestant | undefined> {
  const binaries = findBinaries()
  if (binaries === undefined) return undefined
  const owner = ordinaryUser()
  const folder = await mkdtemp(join(tmpdir(), 'embedded-mongo-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const port = await getPort({ host: '127.0.0.1' })
  execFileSync(join(binaries, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust', '--no-sync'], { ...owner, cwd: folder, stdio: 'ignore' })
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='].flatMap(setting => ['-c', setting])
  const server = spawn(join(binaries, 'postgres'), ['-D', data, ...settings], { ...owner, cwd: folder, stdio: 'ignore' })
  const exited = once(server, 'exit')
  const pool = new Pool({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: 40 })
  const close = async () => {
    await pool.end()
    server.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await whenReady(pool)
    await pool.query(schema)
    for (let i = 0; i < documentCount; i++) await pool.query({ name: 'fill', text: insertInto('items'), values: row(i) })
    await pool.query('analyze')
  } catch (error) {
    await close()
    throw error
  }
  return { name: 'pg', cpuSeconds: () => cpuOfFamily(server.pid!), run: ({ name }, i) => operations[name]!(pool, i), close }
}

function row(i: number): unknown[] {
  const { _id, email, group, n, status, tags, note, hits } = item(i)
  return [_id, email, group, n, status, JSON.stringify(tags), note, hits]
}

/** The folder of `initdb` and `postgres`: empty when they are on the path, else where distributions put them. */
function findBinaries(): string | undefined {
  const versions = existsSync(distributionFolder) ? readdirSync(distributionFolder).sort((a, b) => Number(b) - Number(a)) : []
  const runs = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
  const folders = ['', ...versions.map(version => join(distributionFolder, version, 'bin'))]
  return folders.find(folder => runs(join(folder, 'initdb')) && runs(join(folder, 'postgres')))
}

/** PostgreSQL refuses to run as root: then it runs as the user made for it, or as nobody. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'latin1')
  const [, uid, gid] = /^(?:postgres|nobody):[^:]*:(\d+):(\d+)/m.exec(users) ?? []
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) }
}

async function whenReady(pool: Pool): Promise<void> {
  const end = Date.now() + readyMs
  for (;;) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

/** PostgreSQL has one process per connection, all children of the first. */
function cpuOfFamily(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, member) => sum + (cpuOf(member) || 0), 0)
}
