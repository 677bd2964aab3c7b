import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Outputs = Record<string, string>;

/** Starts a server that speaks CloudFormation's `DescribeStacks` for the stacks it is given. */
export async function startCloudFormationStub(stacks: Record<string, Outputs>) {
  const server = createServer(async (request, response) => {
    const name = new URLSearchParams(await text(request)).get('StackName') ?? '';
    const outputs = stacks[name];
    response.setHeader('content-type', 'text/xml');
    response.statusCode = outputs ? 200 : 400;
    response.end(outputs ? described(name, outputs) : refused(name));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

function described(name: string, outputs: Outputs): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <DescribeStacksResult><Stacks><member>
      <StackName>${name}</StackName>
      <CreationTime>2026-11-20T00:00:00.000Z</CreationTime>
      <StackStatus>CREATE_COMPLETE</StackStatus>
      <Outputs>${members.join('')}</Outputs>
    </member></Stacks></DescribeStacksResult>
    <ResponseMetadata><RequestId>stub</RequestId></ResponseMetadata>
  </DescribeStacksResponse>`;
}

const refused = (name: string) =>
  `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error>
    <RequestId>stub</RequestId>
  </ErrorResponse>`;
