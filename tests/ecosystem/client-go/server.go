package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const startLimit = 60 * time.Second

// server is an API server process that keeps its port and data dir when it is restarted.
type server struct {
	command []string
	dataDir string
	port    int
	isOwner bool
	process *exec.Cmd
	// exited is closed when the process has ended.
	exited chan struct{}
}

func newServer(command []string, dataDir string) (*server, error) {
	if len(command) == 0 {
		return nil, errors.New("neither a command that starts a server nor -kubeconfig is given")
	}
	isOwner := dataDir == ""
	if isOwner {
		var err error
		if dataDir, err = os.MkdirTemp("", "client-go-trial-"); err != nil {
			return nil, err
		}
	}
	port, err := freePort()
	return &server{command: command, dataDir: dataDir, port: port, isOwner: isOwner}, err
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) kubeconfig() string { return filepath.Join(s.dataDir, "admin.kubeconfig") }

// start returns when the server is ready.
func (s *server) start(ctx context.Context) error {
	args := append(s.command[1:len(s.command):len(s.command)],
		fmt.Sprintf("--secure-port=%d", s.port), "--data-dir="+s.dataDir)
	s.process = exec.Command(s.command[0], args...)
	s.process.Stderr = os.Stderr
	if err := s.process.Start(); err != nil {
		return err
	}
	process, exited := s.process, make(chan struct{})
	s.exited = exited
	go func() {
		_ = process.Wait()
		close(exited)
	}()
	return s.ready(ctx)
}

func (s *server) ready(ctx context.Context) error {
	client := &http.Client{
		Timeout:   time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	url := fmt.Sprintf("https://127.0.0.1:%d/readyz", s.port)
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if isClosed(s.exited) {
			return errors.New("the server ended before it was ready")
		}
		if _, err := os.Stat(s.kubeconfig()); err != nil {
			continue
		}
		if response, err := client.Get(url); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("the server was not ready within %s", startLimit)
}

// kill ends the process with SIGKILL.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	<-s.exited
}

// shutDown ends the process gracefully.
func (s *server) shutDown() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.exited
	if code := s.process.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the server ended with %d", code)
	}
	return nil
}

func isClosed(channel chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

func (s *server) stop() {
	if s == nil {
		return
	}
	s.kill()
	if s.isOwner {
		_ = os.RemoveAll(s.dataDir)
	}
}
