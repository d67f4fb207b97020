import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { threadSeconds } from '@carapace/testing'
import getPort from 'get-port'
import type { Party } from './gateway.bench.ts'

const binaries = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx']

/** nginx with one worker in front of the service, or undefined where it is not installed. */
export async function startNginx(upstream: string): Promise<Party | undefined> {
  const binary = binaries.find(existsSync)
  if (!binary) return undefined
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-nginx-'))
  const port = await getPort({ host: '127.0.0.1' })
  await writeFile(path.join(folder, 'nginx.conf'), config(folder, port, new URL(upstream).host))
  const running = spawn(binary, ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', path.join(folder, 'error.log')], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(url)
  return {
    name: 'nginx',
    url,
    cpu: () => threadSeconds(running.pid!) * 1e6,
    close: async () => {
      running.kill('SIGTERM')
      await new Promise(resolve => running.once('exit', resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const config = (folder: string, port: number, upstream: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  upstream service { server ${upstream}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`

async function untilAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const up = await fetch(url).then(
      () => true,
      () => false,
    )
    if (up) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('nginx does not answer')
}
