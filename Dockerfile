# The image of `make image`, for those who build with docker or buildah. A base with
# a shell or with nothing at all: --build-arg BASE=gcr.io/distroless/static-debian12.
#   docker build --build-arg VERSION="$(git describe --always)" -t mote .
ARG GO=docker.io/library/golang:1.26
ARG BASE=scratch

# Cross-compiled: an emulated compiler would take an hour.
FROM --platform=$BUILDPLATFORM ${GO} AS build
ARG TARGETARCH
ARG TARGETVARIANT
ARG VERSION=unknown
WORKDIR /src
COPY . .
RUN GOOS=linux GOARCH="$TARGETARCH" GOARM="${TARGETVARIANT#v}" make build MOTE=dist/files/mote VERSION="$VERSION"
RUN mkdir -p dist/files/etc/ssl/certs && go -C tools run ./release certificates >dist/files/etc/ssl/certs/ca-certificates.crt

FROM ${BASE}
ARG VERSION=unknown
LABEL org.opencontainers.image.title="mote" \
      org.opencontainers.image.description="Keeps PostgresDB and MyApp objects true on an edge cluster" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /src/dist/files/ /
WORKDIR /
USER 65532:65532
ENTRYPOINT ["/mote"]
CMD ["run"]
